/** English of the kiosk, loaded with it. Other languages are typed by this one: see dictionary.ts. */
export const kiosk = {
  title: "Kiosk",
};
