import type { Bytes } from "../encoding/bytes.ts";
import type { EdhocSession } from "./authentication.ts";
import { openChannel, type ResponderChannel } from "./channel.ts";
import type { Peer } from "./credential.ts";
import { decodeInitiatorRecord, encodeResponderRecord } from "./tag-records.ts";

/** Opens the tag's end of a session's channel, as `openInitiatorChannel` does the client's. */
export function openResponderChannel(session: EdhocSession<Peer>, info: Bytes): Promise<ResponderChannel> {
  return openChannel(session, info, {
    role: "responder",
    encode: encodeResponderRecord,
    decode: decodeInitiatorRecord,
  });
}
