import { createTaglatch } from "@taglatch/sdk";

/**
 * `<taglatch-transfer service="https://tags.example.com" client-key="…">`: a button that puts one bag on a tag, for hosts
 * without a framework. The host gives a token of its traveller, and listens:
 *
 * - property `token`: an async function that gets a token from the host's server; without one the traveller is a guest;
 * - attributes `journey` and `bag`: ids; without them the first bag of the first journey;
 * - events `taglatch-progress`, `taglatch-written` (detail: name of the tag, result) and `taglatch-failed` (detail: code,
 *   of the SDK's, or `no_bag`).
 *
 * A tag that is locked to another journey opens a dialog for its record locator and surname; one that shows another
 * person's label, a question.
 */
export class TaglatchTransfer extends HTMLElement {
  token;
  #taglatch;
  #button = document.createElement("button");
  #status = document.createElement("output");

  connectedCallback() {
    if (this.#taglatch) return;
    this.#taglatch = createTaglatch({
      baseUrl: this.getAttribute("service") ?? "",
      ...(this.hasAttribute("client-key") ? { clientKey: this.getAttribute("client-key") } : {}),
      custodyProofCollector: { collect: (prompt) => this.#askForProof(prompt) },
      onOtherLabel: () =>
        confirm("This tag shows another label. Replace it? Its bag then has none.") ? "replace" : "keep",
    });
    this.#button.type = "button";
    this.#button.textContent = this.getAttribute("label") ?? "Put my bag on a tag";
    this.#button.addEventListener("click", () => this.#run());
    this.append(this.#button, this.#status);
  }

  async #run() {
    this.#button.disabled = true;
    const outcome = await this.#transfer();
    this.#button.disabled = false;
    const [type, detail] = outcome.ok
      ? ["taglatch-written", outcome.value]
      : ["taglatch-failed", { code: outcome.error.code }];
    this.#status.replaceChildren(outcome.ok ? `Written to ${outcome.value.name}` : outcome.error.message);
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  async #transfer() {
    // Comes first, while the tap still counts: the browser's chooser.
    const tag = await this.#taglatch.pickTag();
    if (!tag.ok) return tag;
    if (this.token) {
      const login = await this.#taglatch.session.loginFederated(await this.token());
      if (!login.ok) return login;
    }
    const journeys = await this.#taglatch.journeys.list();
    if (!journeys.ok) return journeys;
    const wanted = this.getAttribute("journey");
    const journey = journeys.value.find(({ journeyId }) => wanted === null || journeyId === wanted);
    const baggageId = Number(this.getAttribute("bag") ?? journey?.baggage[0]?.baggageId ?? 0);
    if (!journey || baggageId === 0)
      return { ok: false, error: { code: "no_bag", message: "There is no bag of yours." } };
    const request = { ...tag.value, journeyId: journey.journeyId, baggageId };
    const onProgress = (detail) =>
      this.dispatchEvent(new CustomEvent("taglatch-progress", { detail, bubbles: true, composed: true }));
    const result = await this.#taglatch.transferTag(request, undefined, { onProgress });
    return result.ok ? { ok: true, value: { name: tag.value.name, result: result.value } } : result;
  }

  /** A dialog of the browser's own; null where it is closed. */
  #askForProof({ hints, attemptsLeft, prefill = {}, signal }) {
    const dialog = document.createElement("dialog");
    const form = document.createElement("form");
    form.method = "dialog";
    const lead = document.createElement("p");
    const [locator, surname] = [hints.maskedRecordLocator ?? "", hints.maskedSurname ?? ""];
    lead.textContent = `This tag is locked to ${surname} (${locator}). ${attemptsLeft} tries left.`;
    const field = (name, label) => {
      const input = document.createElement("input");
      Object.assign(input, { name, required: true, value: prefill[name] ?? "" });
      const around = document.createElement("label");
      around.append(label, input);
      return around;
    };
    const send = document.createElement("button");
    send.textContent = "Unlock";
    form.append(lead, field("recordLocator", "Record locator "), field("surname", "Surname "), send);
    dialog.append(form);
    this.append(dialog);
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => dialog.close(), { once: true });
      form.addEventListener("submit", () => resolve(Object.fromEntries(new FormData(form))));
      dialog.addEventListener("close", () => {
        resolve(null);
        dialog.remove();
      });
      dialog.showModal();
    });
  }
}

customElements.define("taglatch-transfer", TaglatchTransfer);
