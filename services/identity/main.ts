import { runServices } from '@bailiwick/wire';
import { identityPart } from './service.ts';

await runServices('identity', [identityPart]);
