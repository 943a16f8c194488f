/** Cities in Chinese and Japanese sentences: a space beside Latin letters, none beside the languages' own. */
const gap = (city: string) => (/^\p{Script=Latin}/u.test(city) ? " " : "");

export const cityBefore = (city: string, rest: string) => `${city}${gap(city)}${rest}`;
export const cityAfter = (lead: string, city: string) => `${lead}${gap(city)}${city}`;
