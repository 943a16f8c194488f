/** What device ids are compared by, and what `devices.id` is (rules §5): trimmed, NFC, lower case. */
export const deviceKey = (id: string) => id.normalize("NFC").trim().toLowerCase();
