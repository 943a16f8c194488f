/** US dollars per million beyond what the paid plan includes (developers.cloudflare.com, Workers and D1 pricing). */
export const PRICES = { requests: 0.3, cpuMilliseconds: 0.02, rowsRead: 0.001, rowsWritten: 1 } as const;
