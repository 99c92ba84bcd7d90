import type { Sender } from './templates.ts';

type Settings = { brandName: string; mailFrom: string; publicUrl: string };

/**
 * The sender's name in mails: the brand's, the name in `Example <no-reply@example.com>`, or the host
 * of the public URL.
 */
export function senderOf({ brandName, mailFrom, publicUrl }: Settings): Sender {
  const [, name = ''] = /^\s*"?([^"<]*?)"?\s*<[^<>]*>\s*$/.exec(mailFrom) ?? [];
  return { service: brandName || name.trim() || new URL(publicUrl).hostname, publicUrl };
}
