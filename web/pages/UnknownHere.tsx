import { useNavigate } from "@solidjs/router";
import type { JSX } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { createHome } from "./create-home.ts";
import { FindBooking } from "./FindBooking.tsx";
import { Page } from "./Page.tsx";
import { WithoutBluetoothIfSo } from "./WithoutBluetoothIfSo.tsx";

/** The address of a journey that this device may not see: it came from another device, or its session has ended. */
export function UnknownHere(): JSX.Element {
  const { t } = useI18n();
  const navigate = useNavigate();
  const home = createHome();
  return (
    <Words part="passenger">
      <Page title={t("passenger.share.hereTitle")} lead={t("passenger.share.here")} back={home()}>
        <WithoutBluetoothIfSo />
        <FindBooking scan="/scan" onFound={(found) => navigate(`/journeys/${found}`, { replace: true })} />
      </Page>
    </Words>
  );
}
