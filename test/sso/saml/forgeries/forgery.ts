import type { RefusalReason } from '@bailiwick/sso/refusal.ts';
import type { Craft } from '../craft.ts';

export type Forgery = {
  /** The XML of the response. */
  forge(craft: Craft): string | Promise<string>;
  /** The detail that the administrator reads. */
  says: RegExp;
  reason?: RefusalReason;
  /** The text is posted as it is, without base64. */
  isEncoded?: true;
};
