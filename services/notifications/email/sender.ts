import type { Sender } from './templates.ts';

/**
 * The sender's name in mails: the name in `Example <no-reply@example.com>`, or the host of the
 * public URL.
 */
export function senderOf({ mailFrom, publicUrl }: { mailFrom: string; publicUrl: string }): Sender {
  const [, name = ''] = /^\s*"?([^"<]*?)"?\s*<[^<>]*>\s*$/.exec(mailFrom) ?? [];
  return { service: name.trim() || new URL(publicUrl).hostname, publicUrl };
}
