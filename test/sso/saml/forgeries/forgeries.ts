import { contents } from './contents.ts';
import { encryptions } from './encryptions.ts';
import type { Forgery } from './forgery.ts';
import { signatures } from './signatures.ts';
import { texts } from './texts.ts';
import { wrappings } from './wrappings.ts';

/** Every answer that must not be accepted, by what is wrong with it. */
export const forgeries: Readonly<Record<string, Forgery>> = {
  ...signatures,
  ...wrappings,
  ...contents,
  ...texts,
  ...encryptions,
};
