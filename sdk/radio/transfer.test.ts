import { describeMatrix } from "../test-support/radio-matrix.ts";

describeMatrix("transfer");
