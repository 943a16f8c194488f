import { expect, it } from "vitest";
import { sharedPlace } from "./trace.ts";

/** Where links to a bag's place may lead (rules §5, "Found"). */

const PLACES = ["share.apple.com", "www.google.com/android/find/"];
it.each([
  "http://share.apple.com/a",
  "javascript:alert(1)//share.apple.com/",
  "https://share.apple.com.evil.example/a",
  "https://evil.example/share.apple.com",
  "https://share.apple.com@evil.example/",
  "https://user@share.apple.com/a",
  "https://share.apple.com:8443/a",
  "https://share.ap\u0440le.com/a",
  "https://share\u3002apple.com/a",
  "https://share.apple.com\\@evil.example/",
  "https://www.google.com/url?q=https://evil.example",
  "https://www.google.com/android/find/../../url?q=https://evil.example",
  "https://www.google.com/android/find/..%2f..%2Furl?q=https://evil.example",
  "https://www.google.com/android/find/..%5c..%5Curl?q=https://evil.example",
  "https://www.google.com/android/find/%252e%252e/url?q=https://evil.example",
  "https://www.google.com/android/find/..;/..;/url?q=https://evil.example",
  "https://www.google.com/android/find/.;/url",
  "https://www.google.com/android/find/a;b=c/url",
  "https://www.google.com/android/find/..a/url",
  "https://www.google.com/android/find/.../url",
  "https:share.apple.com/a",
  "//share.apple.com/a",
  "share.apple.com/a",
])("a link leads nowhere else: %s", (link) => {
  expect(sharedPlace(PLACES, link)).toBeUndefined();
});

it.each(["https://share.apple.com/a;b", "https://www.google.com/android/find/share/a-b.c?d=1"])(
  "a link to a shared place is one: %s",
  (link) => {
    expect(sharedPlace(PLACES, link)?.href).toBe(link);
  },
);
