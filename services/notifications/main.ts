import { runServices } from '@bailiwick/wire';
import { notificationsPart } from './service.ts';

await runServices('notifications', [notificationsPart]);
