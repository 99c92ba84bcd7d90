import type { Handlers, Pager } from '@bailiwick/pipeline';
import { AppLogouts } from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import { attemptsHandler } from '../messages/attempts.ts';
import { directHandler, type Tasks } from '../sending/task.ts';

type Deps = { pager: Pager; tasks: Tasks };

export function logoutHandlers({ pager, tasks }: Deps): Handlers<typeof AppLogouts> {
  const attempts = attemptsHandler(pager, 'app');
  return {
    listAttempts: ({ app, ...query }, call) =>
      attempts({ ...query, endpoint: app, eventType: '' }, call),
    deliver: directHandler(tasks, AppLogouts.method.deliver),
  };
}
