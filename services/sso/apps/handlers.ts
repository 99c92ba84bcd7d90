import { logoProblem } from '@bailiwick/contract';
import { type EgressRules } from '@bailiwick/egress';
import type { Checks, Handlers } from '@bailiwick/pipeline';
import type { Apps } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { endSignInsTo } from '../app-sign-ins/end.ts';
import { removeConsentsTo } from '../app-sign-ins/queries.ts';
import { rowOf } from '../rows.ts';
import { recordAppEvent, toApi } from './api-record.ts';
import type { AppDeps } from './deps.ts';
import { AppEntity } from './entities.ts';
import { lockHandler } from './lock.ts';
import { deleteLogo, getApp, listApps } from './queries.ts';
import { rotateSecret } from './rotate.ts';
import { saveApp } from './save.ts';
import { isKind, problemsOf, settableOf } from './values.ts';

export const appChecks = (egress: EgressRules): Checks<typeof Apps> => ({
  // The problems of an update depend on the stored app, so they are found later.
  save({ app, logo }) {
    const problem = logoProblem(logo);
    const ofLogo = problem === undefined ? [] : [`Logo ${problem}`];
    if (!app || app.id !== '' || !isKind(app.kind)) return ofLogo;
    const { tenant, kind } = app;
    return [...problemsOf(settableOf(kind, app), { tenant, kind, egress }), ...ofLogo];
  },
});

export function appHandlers(deps: AppDeps): Handlers<typeof Apps> {
  const { database, pager } = deps;
  return {
    async save(request, call) {
      const id = request.app?.id ?? '';
      // The app may become inactive, or get fewer scopes: that ends its access tokens. Even if nothing
      // changes: another call with the same values may not have replied yet.
      if (id !== '') call.invalidates.add(`app:${id}`);
      const { row, secret } = await saveApp(deps, request, call);
      return { app: toApi(row), clientSecret: secret };
    },

    async get({ tenant, id }) {
      return { app: toApi(await getApp(database, tenant, id)) };
    },

    async list({ tenant, page }, { operation, reader }) {
      const binding = [operation.name, tenant];
      return pager.list(page, binding, (query) => listApps(reader, tenant, query), toApi);
    },

    ...lockHandler(deps),

    async delete({ tenant, id }, call) {
      await database.transaction({ call, tenant, row: rowOf.app(tenant, id) }, async (tx) => {
        const row = await tx.em.findOne(
          AppEntity,
          { tenant, id },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        );
        if (!row) return;
        tx.em.remove(row);
        await deleteLogo(tx, tenant, id);
        await removeConsentsTo(tx, tenant, id);
        await endSignInsTo(tx, row);
        recordAppEvent(tx, 'oauth_app.deleted', row);
      });
      return {};
    },

    async rotateSecret(request, call) {
      const { row, secret } = await rotateSecret(deps, request, call);
      return { app: toApi(row), clientSecret: secret };
    },
  };
}
