/** By how much the record of an audit entry changes which figure of its tenant. */
export const trendActions = `values
             ('tenant.member_added', 'members', 1), ('tenant.member_removed', 'members', -1),
             ('invitation.created', 'invitations', 1),
             ('group.created', 'groups', 1), ('group.deleted', 'groups', -1),
             ('role.created', 'roles', 1), ('role.deleted', 'roles', -1),
             ('bot.created', 'bots', 1), ('bot.deleted', 'bots', -1),
             ('oauth_app.created', 'apps', 1), ('oauth_app.deleted', 'apps', -1)`;

/**
 * Adds to the trends what a process of a version before them has stored in the audit and did not
 * count. It adds differences, so that counts made meanwhile stay. A day of which retention may
 * have dropped entries keeps its count.
 */
export const recountTrends = `
  insert into daily_count as c (tenant, kind, day, count)
  select e.tenant, k.kind, e.day, sum(k.count) - coalesce(max(d.count), 0)
  from tenant t
  cross join lateral (select seq, occurred_at from audit_entry where tenant = t.id order by seq limit 1) oldest
  cross join lateral (
    select tenant, action, (occurred_at at time zone 'UTC')::date as day from audit_entry
    where tenant = t.id and result = 'success' and occurred_at >= greatest(
      date_trunc('day', now(), 'UTC') - interval '29 days',
      case when oldest.seq > 1 then date_trunc('day', oldest.occurred_at, 'UTC') + interval '1 day' end)
    offset 0
  ) e
  join (${trendActions}) as k (action, kind, count) on k.action = e.action
  left join daily_count d on d.tenant = e.tenant and d.kind = k.kind and d.day = e.day
  group by e.tenant, k.kind, e.day
  having sum(k.count) <> coalesce(max(d.count), 0)
  on conflict (tenant, kind, day) do update set count = c.count + excluded.count`;
