import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.WEBHOOK_SECRET.slice("whsec_".length), "base64");
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": said = "" } = request.headers;
  const right = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64")}`);
  const isRight = said
    .split(" ")
    .some((one) => one.length === right.length && timingSafeEqual(Buffer.from(one), right));
  if (!isRight || Math.abs(Date.now() / 1000 - at) > 300) return response.writeHead(401).end();
  for (const { event, licencePlate, baggageMessage } of JSON.parse(body).data.events) {
    console.log(event, licencePlate); // keep them
    if (baggageMessage) console.log(baggageMessage); // for the sorter
  }
  response.writeHead(204).end();
}).listen(process.argv[2] ?? 9000, () => console.log("listening"));
