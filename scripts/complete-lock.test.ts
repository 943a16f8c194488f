import { describe, expect, it } from "vitest";
import { completeLock, platformOf } from "./complete-lock.mjs";

describe("platformOf", () => {
  it.each([
    ["@biomejs/cli-darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
    ["@biomejs/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
    ["@oxc-parser/binding-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"], libc: ["glibc"] }],
    ["@oxc-parser/binding-win32-x64-msvc", { os: ["win32"], cpu: ["x64"] }],
    ["@cloudflare/workerd-windows-64", { os: ["win32"], cpu: ["x64"] }],
    ["fsevents", { os: ["darwin"] }],
    ["left-pad", undefined],
  ])("reads %s", (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });
});

describe("completeLock", () => {
  const lock = () => ({
    packages: {
      "": {},
      "node_modules/tool": {
        version: "1.2.3",
        dev: true,
        optionalDependencies: { "@tool/linux-x64": "1.2.3", "@tool/darwin-arm64": "1.2.3" },
      },
      "node_modules/@tool/linux-x64": { version: "1.2.3" },
    },
  });

  it("adds a missing platform at the version asked for and leaves present ones alone", () => {
    const completed = lock();
    expect(completeLock(completed)).toEqual(["node_modules/@tool/darwin-arm64"]);
    expect(completed.packages).toMatchObject({
      "node_modules/@tool/darwin-arm64": {
        version: "1.2.3",
        dev: true,
        optional: true,
        os: ["darwin"],
        cpu: ["arm64"],
      },
      "node_modules/@tool/linux-x64": { version: "1.2.3" },
    });
  });

  it("changes nothing the second time", () => {
    const completed = lock();
    completeLock(completed);
    const before = JSON.stringify(completed);
    expect(completeLock(completed)).toEqual([]);
    expect(JSON.stringify(completed)).toBe(before);
  });

  it("keeps a nested package's platforms nested", () => {
    const nested = {
      packages: {
        "node_modules/a/node_modules/tool": {
          version: "2.0.0",
          optionalDependencies: { "@tool/win32-x64": "2.0.0" },
        },
      },
    };
    expect(completeLock(nested)).toEqual(["node_modules/a/node_modules/tool/node_modules/@tool/win32-x64"]);
  });
});
