import type access from '@bailiwick/texts/locales/en/console/access.json';
import type account from '@bailiwick/texts/locales/en/console/account.json';
import type apps from '@bailiwick/texts/locales/en/console/apps.json';
import type audit from '@bailiwick/texts/locales/en/console/audit.json';
import type bots from '@bailiwick/texts/locales/en/console/bots.json';
import type parts from '@bailiwick/texts/locales/en/console/parts.json';
import type people from '@bailiwick/texts/locales/en/console/people.json';
import type platform from '@bailiwick/texts/locales/en/console/platform.json';
import type portal from '@bailiwick/texts/locales/en/console/portal.json';
import type settings from '@bailiwick/texts/locales/en/console/settings.json';
import type shell from '@bailiwick/texts/locales/en/console/shell.json';
import type signon from '@bailiwick/texts/locales/en/console/signon.json';
import type start from '@bailiwick/texts/locales/en/console/start.json';
import type webhooks from '@bailiwick/texts/locales/en/console/webhooks.json';

/** The keys of the English texts. A key that is not there does not compile. */
export type TextKey =
  | keyof typeof access
  | keyof typeof account
  | keyof typeof apps
  | keyof typeof bots
  | keyof typeof audit
  | keyof typeof parts
  | keyof typeof people
  | keyof typeof platform
  | keyof typeof portal
  | keyof typeof settings
  | keyof typeof shell
  | keyof typeof signon
  | keyof typeof start
  | keyof typeof webhooks;
