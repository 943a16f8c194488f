import { MOVING } from "./support/browser.ts";
import { ADA } from "./support/passenger.ts";
import { expect, test } from "./support/test.ts";

test.use(MOVING);

test("a tap counts while one screen still turns into the next", async ({ page, service, passenger }) => {
  await page.addInitScript(() => {
    const begin = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const transition = begin(update);
      void transition.ready.then(() => {
        const button = document.querySelector(".bag .button[data-kind=primary]");
        button?.scrollIntoView({ block: "center", behavior: "instant" });
        const { x = 0, y = 0, width = 0, height = 0 } = button?.getBoundingClientRect() ?? {};
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        document.documentElement.dataset.tapped = hit?.closest(".button")?.textContent ?? "nothing";
      });
      return transition;
    };
  });
  await page.goto(service);
  await passenger.findsJourney(ADA);
  const put = (await passenger.firstBag.textContent()) ?? "";
  await expect(page.locator("html")).toHaveAttribute("data-tapped", put);
});
