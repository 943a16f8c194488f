import { all, type Equivalent } from "./equivalent.ts";

/** Of the service: see equivalents.ts. */
export const SERVICE: readonly Equivalent[] = [
  ...["nonce", "login", "lookup", "feed", "write", "hall"].flatMap((name) =>
    all(`${name}: undefined,`, [","], "a property that is not there is undefined"),
  ),
  ...all(
    '.select({ endsAt: sql<number>`drawn.running_until`.as("running_until") })',
    ['.select({ endsAt: sql<number>`drawn.running_until`.as("") })'],
    "nobody asks for the one column by its name",
  ),
  ...all(
    'requestId: sql<string>`told.request_id`.as("told_request"),',
    ['requestId: sql<string>`told.request_id`.as(""),'],
    "D1 answers by place, and no other column is called nothing",
  ),
  ...all(
    `device: sql<string>\`coalesce(\${deviceTicketLocks.deviceId}, wanted.device_id)\`.as("device"),`,
    [`device: sql<string>\`coalesce(\${deviceTicketLocks.deviceId}, wanted.device_id)\`.as(""),`],
    "D1 answers by place, and no other column is called nothing",
  ),
  ...all(
    `requestId: sql<string>\`coalesce(\${deviceTicketLocks.requestId}, \${NO_REQUEST})\`.as("lock_request_id"),`,
    [`requestId: sql<string>\`coalesce(\${deviceTicketLocks.requestId}, \${NO_REQUEST})\`.as(""),`],
    "D1 answers by place, and no other column is called nothing",
  ),
  ...all(
    'text: clientText.as("client_text"),',
    ['text: clientText.as(""),'],
    "D1 answers by place, and no other column is called nothing",
  ),
  ...all(
    `isAttacher: sql\`\${deviceTicketLocks.holderSub} = \${sub}\`.mapWith(Boolean).as("is_attacher"),`,
    [`isAttacher: sql\`\${deviceTicketLocks.holderSub} = \${sub}\`.mapWith(Boolean).as(""),`],
    "D1 answers by place, and no other column is called nothing",
  ),
  ...all(
    '.select({ isAllowed: mayMark(ctx).mapWith(Boolean).as("is_allowed") })',
    ['.select({ isAllowed: mayMark(ctx).mapWith(Boolean).as("") })'],
    "nobody asks for the one column by its name",
  ),
  ...all(
    '.select({ isLocked: sql<number>`1`.as("is_locked") })',
    ['.select({ isLocked: sql<number>`1`.as("") })'],
    "nobody asks for the one column by its name",
  ),
  ...all(
    'return "uncounted";',
    ["", 'return "";'],
    "all that is asked of the answer is whether it is one of the two others",
  ),
  ...all(
    "if (endpoint.subjectRate) await requireSubjectRate(ctx, endpoint.subjectRate, token);",
    ["if (true) await requireSubjectRate(ctx, endpoint.subjectRate, token);"],
    "a rate without a name has no counter; the type wants one",
  ),
  ...all(
    'const key = accessTokenKeys.verifying.get(kid ?? "");',
    [
      "const key = accessTokenKeys.verifying.get(kid);",
      'const key = accessTokenKeys.verifying.get(kid ?? "x");',
    ],
    "no key has either name; the type wants text",
  ),
  ...all(
    'const [, scheme = "", token] = /^(bearer|dpop) +(\\S+)$/i.exec(headers.get("Authorization") ?? "") ?? [];',
    [
      'const [, scheme = "x", token] = /^(bearer|dpop) +(\\S+)$/i.exec(headers.get("Authorization") ?? "") ?? [];',
      'const [, scheme = "", token] = /^(bearer|dpop) +(\\S+)$/i.exec(headers.get("Authorization")) ?? [];',
      'const [, scheme = "", token] = /^(bearer|dpop) +(\\S+)$/i.exec(headers.get("Authorization") ?? "x") ?? [];',
    ],
    "without a token nobody looks at the scheme, and neither text matches; the types want both",
  ),
  ...all(
    "return { ok: true, token, proof: undefined };",
    ["return { ok: true, token, };"],
    "a property that is not there is undefined",
  ),
  ...all(
    "if (error instanceof ApiError) return { ok: false, error };",
    ["if (true) return { ok: false, error };"],
    "whatever it is, it is thrown once the client has been judged",
  ),
  ...all(
    'if (!equalBytes(utf8(presented), utf8(client.b2bSecretHash ?? ""))) throw wrong("shared secret");',
    [
      'if (!equalBytes(utf8(presented), utf8(client.b2bSecretHash))) throw wrong("shared secret");',
      'if (!equalBytes(utf8(presented), utf8(client.b2bSecretHash ?? "x"))) throw wrong("shared secret");',
    ],
    "no hash is that short; the type wants text",
  ),
  ...all('subject = "",', ['subject = "x",'], "the same for every request whose path names nothing"),
  ...all(
    "records: isKept ? readEarlier(ctx, keyed) : undefined,",
    ["records: true ? readEarlier(ctx, keyed) : undefined,"],
    "without a key nothing is found; not to ask spares work",
  ),
  ...all(
    'if (verdict === undefined) throw new TypeError("a verdict without a row");',
    ['if (false) throw new TypeError("a verdict without a row");'],
    "a select of constants has a row; the type wants to know",
  ),
  ...all(
    'if (row?.key === undefined || row.key === null) throw new TypeError("a session without a row");',
    [
      'if (row?.key === undefined) throw new TypeError("a session without a row");',
      'if (row.key === null) throw new TypeError("a session without a row");',
      'if ((row?.key === undefined) && (row.key === null)) throw new TypeError("a session without a row");',
      'if (false) throw new TypeError("a session without a row");',
    ],
    "the session that calls has a row, and a key once one was bound; the types want both",
  ),
  ...all(
    'const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);',
    ['const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);'],
    "the private half is dropped where it was made",
  ),
  ...all(
    'if (since === undefined || secret === undefined) throw new TypeError("not a dated key");',
    [
      'if (since === undefined) throw new TypeError("not a dated key");',
      'if (secret === undefined) throw new TypeError("not a dated key");',
      'if ((since === undefined) && (secret === undefined)) throw new TypeError("not a dated key");',
    ],
    "the pattern finds both or neither; the types want each",
  ),
  ...all(
    'throw tokenRefused(cause instanceof errors.JOSEError ? cause.code : "malformed");',
    [
      'throw tokenRefused(true ? cause.code : "malformed");',
      'throw tokenRefused(cause instanceof errors.JOSEError ? cause.code : "");',
    ],
    "no token makes it throw anything else; the type wants to be told apart",
  ),
  ...all(
    "const { buffer, byteOffset } = random(2);",
    ["const { buffer, byteOffset } = random(3);"],
    "two bytes are read",
  ),
  ...all(
    "keyJwk: login.key ?? proof?.key ?? null,",
    ["keyJwk: login.key ?? proof?.key,"],
    "a column without a value is null",
  ),
  ...all(
    "async function seenOf({ iss, jti, exp = 0 }: JWTPayload) {",
    ["async function seenOf({ iss, jti, exp = 1 }: JWTPayload) {"],
    "a token without an end was refused before",
  ),
  ...all(
    'const hash = await sha256Text(JSON.stringify(["host token", iss, jti]));',
    ["const hash = await sha256Text(JSON.stringify([, iss, jti]));"],
    "the lists of proofs have two elements",
  ),
  ...all(
    'if (lock === undefined) throw new TypeError("a tag without a row");',
    ["if (lock === undefined)", 'if (false) throw new TypeError("a tag without a row");'],
    "the select has a row for every name; the type wants to know",
  ),
  ...all(
    'const NO_REQUEST = "0".repeat(32);',
    ['const NO_REQUEST = "0".repeat(33);', 'const NO_REQUEST = "".repeat(32);'],
    "no request has either name; what a length costs is what the bench of proofs measures",
  ),
  ...all('"stored_tokens",', ['"",'], "a column is read by its place"),
  ...all(
    'throw new ApiError("custody_proof_invalid");',
    ['throw new ApiError("");', ""],
    "the verdict before it is never ok, and throws; the type wants to know",
  ),
  ...all(
    "const allowed = and(isLiveLockOf(ctx, uniqueDeviceId), isCompared, isUnused(ctx, keyed)) as SQL;",
    [
      "const allowed = and(, isCompared, isUnused(ctx, keyed)) as SQL;",
      "const allowed = and(isLiveLockOf(ctx, uniqueDeviceId), isCompared, ) as SQL;",
      "const allowed = and(isLiveLockOf(ctx, uniqueDeviceId), isCompared, isUnused(ctx, )) as SQL;",
    ],
    "the lock that was compared was live and under this name, and has gone once its request was carried out",
  ),
  ...all(".limit(1);", [".limit(2);"], "the first row is read, or whether there is one"),
  ...all(
    "return (staff ? or(holds, isOfAirlines(airlines)) : holds) as SQL<boolean>;",
    ["return (true ? or(holds, isOfAirlines(airlines)) : holds) as SQL<boolean>;"],
    "a passenger's session has no airlines",
  ),
  ...all(
    `else \${cti.slice(0, 8)} < substr(\${kept}, 1, 8) end)\`;`,
    [
      `else \${cti} < substr(\${kept}, 1, 8) end)\`;`,
      `else \${cti.slice(0, 9)} < substr(\${kept}, 1, 8) end)\`;`,
      `else \${cti.slice(0, )} < substr(\${kept}, 1, 8) end)\`;`,
    ],
    "of two texts that begin alike, the longer is not the lesser",
  ),
  ...all(
    "new Date(now + settings.limits.entitledAheadSeconds * 1_000).toISOString().slice(0, 10);",
    [
      "new Date(now + settings.limits.entitledAheadSeconds * 1_000).toISOString();",
      "new Date(now + settings.limits.entitledAheadSeconds * 1_000).toISOString().slice(0, 11);",
      "new Date(now + settings.limits.entitledAheadSeconds * 1_000).toISOString().slice(0, );",
    ],
    "a day is not after an instant of it; as text, too",
  ),
  ...all(
    "const isAddress = (key: string) => /^hw:(?:[0-9a-f]{12}|[0-9a-f]{32})$/.test(key);",
    ["const isAddress = (key: string) => /hw:(?:[0-9a-f]{12}|[0-9a-f]{32})$/.test(key);"],
    "the key of a MAC or GUID keeps no colon but that of its beginning; of any other name it only asks for an alias that nothing has",
  ),
  ...all(
    "if (tagCertificate === undefined) return undefined;",
    ["if (tagCertificate === undefined)", "if (false) return undefined;"],
    "what is not there is no base64 either; the type wants to know",
  ),
  ...all(
    "hourly(ctx, GROUP_OF[ctx.principal.evidence], 1);",
    ["hourly(ctx, GROUP_OF[ctx.principal.evidence], );"],
    "a budget that names no cost costs one; the type wants it named",
  ),
  ...all(
    "const { key, cost = 1 } = budget;",
    ["const { key, cost = 2 } = budget;"],
    "the budgets of a look-up name their cost: only a tag's does not, and a look-up names no tag",
  ),
  ...all(
    `const isOther = typeof key !== "string" || (key.startsWith("locator:") && !key.endsWith(\`:\${locator}\`));`,
    [`const isOther = (key.startsWith("locator:") && !key.endsWith(\`:\${locator}\`));`],
    "the keys of a look-up's budgets are text: only a tag's is not, and a look-up names no tag; the type wants to know",
  ),
  ...all("...{ sentDay: 0, sentCount: 0 },", ["...{ sentDay: 1, sentCount: 0 },"], "both days are long past"),
  ...all(
    'const endpoint = await open(settings.dataKey, place, endpointSealed).catch(() => "");',
    ['const endpoint = await open(settings.dataKey, place, endpointSealed).catch(() => "x");'],
    "neither text is an endpoint",
  ),
  ...all(
    'if (statement.operation !== "write" || issuedAt === undefined) return "void";',
    ['if (statement.operation !== "write") return "void";'],
    "what was never issued is not recent, and void as well; the type wants to know",
  ),
  ...all(
    "{ reason, by, airline: airlines[0] ?? null },",
    ["{ reason, by, airline: airlines[0] },"],
    "a column without a value is null",
  ),
  ...all(
    "isOfWriter: cti === null ? false : await isOfWriter(ctx, { device, cti, lock }),",
    ["isOfWriter: cti === null ? true : await isOfWriter(ctx, { device, cti, lock }),"],
    "a write without a token's id is void before anybody asks whose it was",
  ),
  ...all(
    `sql\`(\${isTraceable(ctx, uniqueDeviceId)} and \${isHolder(ctx, sql\`false\`)} and \${ctx.principal.staff ? 0 : 1})\`;`,
    [
      `sql\`(\${isTraceable(ctx, uniqueDeviceId)} and \${isHolder(ctx, sql\`false\`)} and \${ctx.principal.staff ? 0 : 2})\`;`,
    ],
    "any number but 0 is true",
  ),
  ...all(
    "...(openedBy !== null && openedAt !== null && { openedBy, openedAt: instantText(openedAt) }),",
    ["...((openedBy !== null) || (openedAt !== null) && { openedBy, openedAt: instantText(openedAt) }),"],
    "both are written by one statement, and emptied by one; the types want each",
  ),
  ...all(
    'const [first = "", last = ""] = cursor.split(".");',
    ['const [first = "x", last = ""] = cursor.split(".");'],
    "what was split has a first part; the type wants to know",
  ),
  ...all(
    'return crypto.subtle.importKey("jwk", { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y }, ES256, true, [',
    ['return crypto.subtle.importKey("jwk", { kty: "EC", crv: "", x: jwk.x, y: jwk.y }, ES256, true, ['],
    "workerd takes the curve from the algorithm beside it, whatever the JWK says; the format wants it",
  ),
  ...all(
    "const first = dayOf(now - settings.limits.idempotencySeconds * 1_000);",
    ["const first = dayOf(now - settings.limits.idempotencySeconds * 1001);"],
    "whatever is of a day more has expired: nobody reads it, and of a full table it goes first",
  ),
  ...all(
    "const id = nonce?.sessionId ?? sessionIdOf(ctx.now, ctx.random(12));",
    ["const id = nonce?.sessionId ?? sessionIdOf(ctx.now, ctx.random(13));"],
    "twelve bytes are read",
  ),
  ...all(
    "if (sessionId === undefined || tag === undefined) return undefined;",
    [
      "if (tag === undefined) return undefined;",
      "if (sessionId === undefined) return undefined;",
      "if ((sessionId === undefined) && (tag === undefined)) return undefined;",
      "if (false) return undefined;",
      "if (sessionId === undefined || tag === undefined)",
    ],
    "the pattern finds both or neither, and the HMAC of nothing is not nothing; the types want each",
  ),
  ...all(
    "const held = client && ctx.held.sessions.get(token.sessionId);",
    ["const held = ctx.held.sessions.get(token.sessionId);"],
    "without a client the presumed turn is refused before it asks anything, and the family is read as it is otherwise",
  ),
  ...all(
    'issueClientCertificate(ctx, input, credentialsIn(headers)?.token ?? ""),',
    [
      "issueClientCertificate(ctx, input, credentialsIn(headers)?.token),",
      'issueClientCertificate(ctx, input, credentialsIn(headers)?.token ?? "x"),',
    ],
    "who got this far has brought a token; the type wants to know",
  ),
];
