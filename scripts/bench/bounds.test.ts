import { describe, expect, test } from "vitest";
import { discoveryRequests, leastOperations, valueLength } from "./bounds.ts";

describe("the least number of operations", () => {
  test.each([
    [23, [37], 2],
    [247, [244], 1],
    [247, [245], 2],
    [247, [37, 517, 912, 17], 1 + 3 + 4 + 1],
    // 512 bytes are the most a value has, whatever the MTU.
    [517, [513], 2],
    [247, [], 0],
  ])("at MTU %i for messages of %j bytes is %i", (mtu, messages, operations) => {
    expect(leastOperations(messages, mtu)).toBe(operations);
  });

  test("rests on the longest value of one operation", () => {
    expect([23, 185, 247, 517].map(valueLength)).toEqual([20, 182, 244, 512]);
  });
});

test.each([
  // One declaration of 21 bytes fits an MTU of 23: eight responses and the end.
  [23, 8, 1 + 2 + 8 + 1],
  [247, 8, 1 + 2 + 1 + 1],
])("discovery at MTU %i of %i characteristics takes %i requests", (mtu, characteristics, requests) => {
  expect(discoveryRequests(characteristics, mtu)).toBe(requests);
});
