import { contents } from './contents.ts';
import { encryptions } from './encryptions.ts';
import type { Forgery } from './forgery.ts';
import { signatures } from './signatures.ts';
import { texts } from './texts.ts';
import { wrappings } from './wrappings.ts';

/** All forged responses by name. */
export const forgeries: Readonly<Record<string, Forgery>> = {
  ...signatures,
  ...wrappings,
  ...contents,
  ...texts,
  ...encryptions,
};
