import * as electron from "electron";
import { startKiosk } from "./kiosk.mjs";

await startKiosk(electron, process.env.SERVICE ?? "http://localhost:8787");
