import { accessPart } from '@bailiwick/access/service.ts';
import { gateway } from '@bailiwick/gateway/gateway.ts';
import { identityPart } from '@bailiwick/identity/service.ts';
import { notificationsPart } from '@bailiwick/notifications/service.ts';
import { ssoPart } from '@bailiwick/sso/service.ts';
import { runServices } from '@bailiwick/wire';

// All of Bailiwick in one process, for small installations.

await runServices('bailiwick', [identityPart, accessPart, ssoPart, notificationsPart], gateway);
