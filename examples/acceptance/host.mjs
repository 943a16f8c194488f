import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { Hono } from "hono";

/** What departure control knows; yours asks its own database. */
const FLIGHT = { carrier: "SK", number: "4711", from: "OSL", to: "CPH" };
const bookings = [{ recordLocator: "HOST01", passengers: [{ surname: "Hopper", givenName: "Grace" }] }];
const ALLOWED = { kilograms: 23, pieces: 3 };
const plates = new Map(); // by journey and number of the bag: the same bag gets the same plate
let serial = 500_000;

const key = Buffer.from(process.env.ACCEPTANCE_SECRET.slice("whsec_".length), "base64");
function isSigned(headers, body) {
  const [id, at] = [headers["webhook-id"], headers["webhook-timestamp"]];
  const right = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64")}`);
  const given = (headers["webhook-signature"] ?? "").split(" ").map((one) => Buffer.from(one));
  const isRight = given.some((one) => one.length === right.length && timingSafeEqual(one, right));
  return isRight && Math.abs(Date.now() / 1000 - at) <= 300;
}

/** `bag.acceptance`: accepted, or refused with a reason. */
function acceptBag({ journeyId, bag }) {
  if (bag.number > ALLOWED.pieces) {
    return { result: "refused", reason: "allowance", sentence: "Three bags are included in your fare." };
  }
  const whose = `${journeyId} ${bag.number}`;
  if (!plates.has(whose)) plates.set(whose, bag.licencePlate ?? `0117${serial++}`);
  return { result: "accepted", licencePlate: plates.get(whose), allowed: ALLOWED };
}

/** `booking.request`: the whole booking, or not_found. */
function findBooking({ airline, recordLocator, surname }) {
  const isNamed = ({ passengers }) =>
    passengers.some((one) => one.surname.toUpperCase() === surname.toUpperCase());
  const booking = bookings.find((one) => one.recordLocator === recordLocator && isNamed(one));
  if (booking === undefined) return { result: "not_found" };
  const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  return { result: "found", booking: { airline, ...booking, flights: [{ ...FLIGHT, date }] } };
}

const answers = { "bag.acceptance": acceptBag, "booking.request": findBooking };
const app = new Hono().post("/", async (c) => {
  const body = await c.req.text();
  if (!isSigned(c.req.header(), body)) return c.body(null, 401);
  const { type, data } = JSON.parse(body);
  const answer = answers[type]?.(data);
  console.log(type, answer?.result);
  return answer === undefined ? c.body(null, 404) : c.json(answer);
});

const server = createServer(async (request, response) => {
  const body = request.method === "POST" ? Buffer.concat(await request.toArray()) : undefined;
  const { method, headers } = request;
  const answer = await app.request(request.url, { method, headers, body });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(process.argv[2] ?? 9000, () => console.log("listening at", server.address().port));
