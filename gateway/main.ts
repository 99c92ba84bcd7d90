import { runServices } from '@bailiwick/wire';
import { gateway } from './gateway.ts';

await runServices('gateway', [], gateway);
