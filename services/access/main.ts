import { runServices } from '@bailiwick/wire';
import { accessPart } from './service.ts';

await runServices('access', [accessPart]);
