import { cleanup, render, screen } from "@solidjs/testing-library";
import { afterEach, expect, test } from "vitest";
import { type AirlineBrand, AirlineBrandProvider, Wordmark } from "./Wordmark.tsx";

afterEach(cleanup);

const draw = (brand: AirlineBrand) =>
  render(() => (
    <AirlineBrandProvider value={() => brand}>
      <Wordmark />
    </AirlineBrandProvider>
  ));
const BRAND = { name: "Polar Air", logo: "/branding/logo.svg" };

test("without a logo, the airline's name stands beside the product's mark", () => {
  draw({ name: "Polar Air" });
  expect(screen.getByText("Polar Air")).toBeTruthy();
  expect(document.querySelector("img")).toBeNull();
});

test("a logo names the airline by itself", () => {
  draw(BRAND);
  expect(screen.getByRole("img", { name: "Polar Air" }).getAttribute("src")).toBe(BRAND.logo);
  expect(screen.queryByText("Polar Air")).toBeNull();
});

test("a symbol has the name beside it, which is read once", () => {
  draw({ ...BRAND, nameBesideLogo: true });
  expect(screen.getByText("Polar Air")).toBeTruthy();
  expect(screen.queryByRole("img")).toBeNull();
});

test("dark screens have a logo of their own, where there is one", () => {
  const source = () => document.querySelector("source[media*=dark]")?.getAttribute("srcset");
  draw(BRAND);
  expect(source()).toBeNull();
  cleanup();
  draw({ ...BRAND, logoDark: "/branding/logo-dark.svg" });
  expect(source()).toBe("/branding/logo-dark.svg");
});
