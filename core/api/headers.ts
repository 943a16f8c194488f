/** Header names the endpoints use. */
export const HEADER = {
  clientKey: "X-Source-App-Key",
  b2bSecret: "X-B2B-Secret",
  dpop: "DPoP",
  idempotencyKey: "Idempotency-Key",
  requestId: "X-Request-Id",
  bookmark: "X-Database-Bookmark",
} as const;
