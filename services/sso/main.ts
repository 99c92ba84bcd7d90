import { runServices } from '@bailiwick/wire';
import { ssoPart } from './service.ts';

await runServices('sso', [ssoPart]);
