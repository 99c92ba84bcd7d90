import type { RefusalReason } from '@bailiwick/sso/sign-in/refusal.ts';
import type { Craft } from '../craft.ts';

export type Forgery = {
  /** The text of the answer. */
  forge(craft: Craft): string | Promise<string>;
  /** What the administrator is told. */
  says: RegExp;
  reason?: RefusalReason;
  /** The text is what is posted as it is, and not to be encoded first. */
  isEncoded?: true;
};
