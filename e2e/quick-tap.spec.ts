import { ADA } from "../scripts/drivers/passenger.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";

test.use(MOVING);

test("a tap counts while one screen still turns into the next", async ({ page, service, passenger }) => {
  await page.addInitScript(() => {
    const begin = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const transition = begin(update);
      // A busy machine may show the screen before its first bag.
      const look = () => {
        const button = document.querySelector(".bag .button[data-kind=primary]");
        if (button === null) return void requestAnimationFrame(look);
        button.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = button.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        document.documentElement.dataset.tapped = hit?.closest(".button")?.textContent ?? "nothing";
      };
      void transition.ready.then(look);
      return transition;
    };
  });
  await page.goto(service);
  await passenger.findsJourney(ADA);
  const put = (await passenger.firstBag.textContent()) ?? "";
  await expect(page.locator("html")).toHaveAttribute("data-tapped", put);
});
