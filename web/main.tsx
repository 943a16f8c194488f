import { render } from "solid-js/web";
import { App } from "./app.tsx";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/journey.css";
import "./pages/pages.css";
import { watchUpdates } from "./watch-updates.ts";

const createClient = async () => {
  const { createTaglatch } = await import("./sdk/client.ts");
  return createTaglatch({ baseUrl: "" });
};

render(() => <App createClient={createClient} watchUpdates={watchUpdates} />, document.body);
