import type { Handlers, Pager } from '@bailiwick/pipeline';
import { AppLogouts } from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import type { Database } from '@bailiwick/store';
import { attemptsHandler } from '../messages/attempts.ts';
import { directHandler, type Tasks } from '../sending/task.ts';

type Deps = { database: Database; pager: Pager; tasks: Tasks };

export function logoutHandlers(deps: Deps): Handlers<typeof AppLogouts> {
  const attempts = attemptsHandler(deps, 'app');
  return {
    listAttempts: ({ app, ...query }, call) =>
      attempts({ ...query, endpoint: app, eventType: '' }, call),
    deliver: directHandler(deps.tasks, AppLogouts.method.deliver),
  };
}
