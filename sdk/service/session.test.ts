import { describe, expect, test } from "vitest";
import { withResolvers } from "../abort.ts";
import { refuse } from "../test-support/fake-service.ts";
import { checkJws } from "../test-support/proofs.ts";
import { outcomeOf, type Scene, scene, valueIn } from "../test-support/scene.ts";

async function prepared(): Promise<Scene> {
  const here = await scene();
  valueIn(await here.client.session.prepare());
  return here;
}

const journeys = async ({ client }: Scene) => outcomeOf(await client.journeys.list());

describe("a passenger without a login", () => {
  test("becomes a guest by an attestation of key possession, at the first need", async () => {
    const { client, service } = await prepared();
    expect(await client.session.state()).toMatchObject({ method: "guest" });
    const login = service.calls.find(({ path }) => path.endsWith("guest/sessions"));
    const { claims, jwk } = await checkJws(login?.body.attestationObject);
    expect(claims).toMatchObject({ nonce: "n-1", aud: "taglatch", evidence: { fmt: "none" } });
    expect(Object.keys(jwk).sort()).toEqual(["crv", "kty", "x", "y"]);
  });

  test("has a session, and no certificate, before it has found a journey", async () => {
    const { another, service } = await scene();
    const certificates = service.count("device-client-certificates");
    const client = another();
    valueIn(await client.session.prepare({ certificate: false }));
    expect(await client.session.state()).toMatchObject({ method: "guest" });
    const logins = service.count("guest/sessions");
    valueIn(await client.journeys.list());
    expect(service.count("guest/sessions")).toBe(logins);
    expect(service.count("device-client-certificates")).toBe(certificates);
  });

  test("signs every call with a proof of its own, by one key", async () => {
    const here = await prepared();
    await journeys(here);
    const proofs = await Promise.all(
      here.service.calls.map(({ headers }) => checkJws(headers.get("DPoP") ?? "")),
    );
    expect(new Set(proofs.map(({ claims }) => claims.jti)).size).toBe(proofs.length);
    expect(new Set(proofs.map(({ jwk }) => jwk.x)).size).toBe(1);
    expect(here.service.calls.every(({ headers }) => headers.get("X-Source-App-Key") === "k")).toBe(true);
  });
});

describe("a session", () => {
  test("is refreshed once for everybody when its token is refused", async () => {
    const here = await prepared();
    here.service.tokens.clear();
    expect(await Promise.all([journeys(here), journeys(here), journeys(here)])).toEqual(["ok", "ok", "ok"]);
    expect(here.service.count("auth/refresh")).toBe(1);
    expect(here.service.count("guest/sessions")).toBe(1);
  });

  test("is not refreshed again when another tab has just done so", async () => {
    const { another, service } = await scene();
    const databaseName = "two-tabs";
    const [here, there] = [another({ databaseName }), another({ databaseName })];
    valueIn(await here.session.prepare());
    const before = service.count("auth/refresh");
    service.next("/v2/journeys", async () => {
      service.tokens.clear();
      valueIn(await there.journeys.list());
      return refuse("unauthorized_token")({} as never, {} as never);
    });
    valueIn(await here.journeys.list());
    expect(service.count("auth/refresh")).toBe(before + 1);
  });

  test("is opened again by the same guest when its refresh token is refused", async () => {
    const here = await prepared();
    here.service.revoke();
    expect(await journeys(here)).toBe("ok");
    expect(here.service.count("guest/sessions")).toBe(2);
    const logins = here.service.calls.filter(({ path }) => path.endsWith("guest/sessions"));
    const keys = await Promise.all(
      logins.map(async ({ body }) => (await checkJws(body.attestationObject)).jwk.x),
    );
    expect(new Set(keys).size).toBe(1);
  });

  test("from a host app ends without a refresh when its refresh token has ended", async () => {
    const { another, service } = await scene();
    let now = Date.now();
    const client = another({ now: () => now });
    valueIn(await client.session.loginFederated("host.jwt"));
    now += 86_400_000;
    expect(outcomeOf(await client.journeys.list())).toBe("ServiceError:unauthorized_token");
    expect(service.count("auth/refresh")).toBe(0);
    expect(await client.session.state()).toEqual({ method: "none" });
  });

  test("does not end because the service is down", async () => {
    const here = await prepared();
    here.service.tokens.clear();
    here.service.next("auth/refresh", refuse("internal_error"));
    expect(await journeys(here)).toBe("ServiceError:internal_error");
    expect(await journeys(here)).toBe("ok");
    expect(here.service.count("guest/sessions")).toBe(1);
  });

  test("of staff is never replaced by a guest's", async () => {
    const { another, service } = await scene();
    const kiosk = another({ audience: "kiosk" });
    expect(outcomeOf(await kiosk.journeys.list())).toBe("ServiceError:unauthorized_token");
    const credentials = { username: "kiosk-osl-1", password: "p", b2bSecret: "s" };
    expect(valueIn(await kiosk.session.loginB2B(credentials))).toMatchObject({ method: "b2b-secret" });
    const login = service.calls.find(({ path }) => path.endsWith("b2b-secret/sessions"));
    expect(login?.headers.get("X-B2B-Secret")).toBe("s");
    expect(login?.body).toEqual({ username: "kiosk-osl-1", password: "p" });
    expect(login?.headers.get("X-Source-App-Key")).toBe("kk");
    expect(outcomeOf(await kiosk.journeys.list())).toBe("ok");
    service.revoke();
    expect(outcomeOf(await kiosk.journeys.list())).toBe("ServiceError:unauthorized_token");
    expect(await kiosk.session.state()).toEqual({ method: "none" });
  });

  test("opened on purpose is not overwritten by a guest login under way", async () => {
    const { another } = await scene();
    const client = another();
    const guest = client.journeys.list();
    valueIn(await client.session.loginFederated("host.jwt"));
    await guest;
    expect(await client.session.state()).toMatchObject({ method: "federated" });
  });

  test("ends with key and certificate at log-out", async () => {
    const here = await prepared();
    const states: string[] = [];
    here.client.session.subscribe(({ method }) => states.push(method));
    valueIn(await here.client.session.logout());
    expect(here.service.count("auth/logout")).toBe(1);
    expect(states).toEqual(["none"]);
    valueIn(await here.client.session.prepare());
    expect(here.service.count("device-client-certificates")).toBe(2);
  });
});

describe("the client certificate", () => {
  test("is kept over operations and visits", async () => {
    const { another, service } = await scene();
    const databaseName = "kept-certificate";
    const before = service.count("device-client-certificates");
    valueIn(await another({ databaseName }).session.prepare());
    valueIn(await another({ databaseName }).session.prepare());
    expect(service.count("device-client-certificates")).toBe(before + 1);
  });

  test("is refused when it is for another key", async () => {
    const { another, service } = await scene();
    const kept = withResolvers<string>();
    service.next(
      "device-client-certificates",
      async (_call, answer) => {
        const response = await answer();
        kept.resolve(await response.clone().text());
        return response;
      },
      async () => new Response(await kept.promise),
    );
    valueIn(await another().session.prepare());
    const result = await another().session.prepare();
    expect(outcomeOf(result)).toBe("ServiceError:invalid_answer");
    // It is a chain that tags accept: nothing else is to blame.
    expect(result).toMatchObject({ error: { cause: undefined } });
  });

  test("is refused when it is not what was asked for", async () => {
    const { another, service } = await scene();
    service.next("device-client-certificates", async () => Response.json({ certificateChain: "AAAA" }));
    expect(outcomeOf(await another().session.prepare())).toBe("ServiceError:invalid_answer");
  });
});
