import {
  createMemoryHistory,
  MemoryRouter,
  Route,
  type RouteSectionProps,
  useCurrentMatches,
} from "@solidjs/router";
import { cleanup, render } from "@solidjs/testing-library";
import { afterEach, expect, test } from "vitest";
import { PAGE_PATHS } from "../../core/api/page-paths.test-support.ts";
import { PAGE_ROUTES, pageRouteOf } from "../../core/api/page-routes.ts";

/** The Worker and the service worker find the page's routes by patterns of their own: they agree with the router. */

afterEach(cleanup);

test.each([
  ...PAGE_PATHS,
  ...["/nowhere", "/journeys", "/journeys/", "/kiosks", "/kiosk/nowhere", "/tag", "/find/more", "/clear//"],
  ...["/journeys//bags/2", "/journeys/j1/bags", "/t/deep/image.png", "/%66ind"],
])("the router finds at %s what the service finds", (path) => {
  const history = createMemoryHistory();
  history.set({ value: path });
  const Root = (props: RouteSectionProps) => (
    <>{useCurrentMatches()().length > 0 ? props.children : "nothing"}</>
  );
  const { container } = render(() => (
    <MemoryRouter history={history} root={Root}>
      {PAGE_ROUTES.map((route) => (
        <Route path={route} component={() => route} />
      ))}
    </MemoryRouter>
  ));
  expect(container.textContent).toBe(pageRouteOf(path) ?? "nothing");
});
