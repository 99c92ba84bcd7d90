import { accessPart } from '@bailiwick/access/service.ts';
import { gateway } from '@bailiwick/gateway/gateway.ts';
import { identityPart } from '@bailiwick/identity/service.ts';
import { ssoPart } from '@bailiwick/sso/service.ts';
import { runServices } from '@bailiwick/wire';

// The process `serve` of the shape `compact`: all that answers clients, beside notifications.

await runServices('serve', [identityPart, accessPart, ssoPart], gateway);
