import { configure } from "@solidjs/testing-library";

/** How long a test waits for something to appear: a busy machine is slow, not wrong. */
configure({ asyncUtilTimeout: 60_000 });
