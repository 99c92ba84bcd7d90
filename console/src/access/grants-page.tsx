import { NativeSelect, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Labels } from '../parts/labels.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { RowLink } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { GrantDialog } from './grant-dialog.tsx';
import { type GrantRow, useGrantChange, useGrants } from './grant-kinds.ts';
import { type Holder, holders } from './search.ts';
import { SubjectName } from './subject-name.tsx';
import { WhatIf } from './what-if.tsx';

const names: Readonly<Record<Holder, TextKey>> = {
  people: 'access.people',
  groups: 'access.groups',
  bots: 'access.bots',
};
const operations = {
  people: 'Grants_ListByTenant',
  groups: 'GroupGrants_ListByTenant',
  bots: 'BotGrants_ListByTenant',
} as const;

/** The roles of people, groups and bots. */
export function GrantsPage() {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const navigate = useNavigate();
  const { of = 'people' }: { of?: Holder } = useSearch({ strict: false });
  const { cursor } = useCursor();
  const request = { Tenant: ID, Page: { Limit: 25, Cursor: cursor } };
  const { page, query } = useGrants(of, request);
  const go = (next: Holder, at = '') =>
    void navigate({ to: '.', search: { of: next, ...(at !== '' && { cursor: at }) } as never });
  const mayWrite = may('iam.grants.write');
  return (
    <Page
      title={t('access.grants')}
      description={t('access.grantsAbout')}
      actions={
        mayWrite && (
          <DialogButton
            text={t('access.addGrant')}
            icon="plus"
            dialog={(onClose) => <GrantDialog of={of} onClose={onClose} />}
          />
        )
      }
    >
      <NativeSelect
        label={t('access.rolesOf')}
        maw={240}
        value={of}
        onChange={(event) => go(event.currentTarget.value as Holder)}
        data={holders.map((holder) => ({ value: holder, label: t(names[holder]) }))}
      />
      <CursorList
        key={of}
        label={t('access.grants')}
        columns={useColumns(of)}
        idOf={({ id }) => id}
        actions={[
          {
            text: t('access.remove'),
            label: ({ role }) => `${t('access.remove')}: ${role}`,
            isRed: true,
            may: mayWrite,
            dialog: (grant, onClose) => <Remove grant={grant} onClose={onClose} />,
          },
        ]}
        page={page}
        isChanging={query.isPlaceholderData}
        error={query.error}
        onRetry={() => void query.refetch()}
        cursor={cursor}
        onCursor={(next) => go(of, next)}
        empty={
          <Empty icon="shield" title={t('access.noGrants')} description={t('access.grantsAbout')} />
        }
      />
      <SameByApi operation={operations[of]} request={request} />
    </Page>
  );
}

function useColumns(of: Holder): Column<GrantRow>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const why: Column<GrantRow> = {
    id: 'why',
    header: t('access.why'),
    hasHiddenHeader: true,
    isSecondary: true,
    cell: ({ holder }) => (
      <RowLink to={`/console/t/${Slug}/why?subject=${holder}`}>{t('access.check')}</RowLink>
    ),
  };
  return [
    {
      id: 'holder',
      header: t(names[of]),
      cell: ({ holder }) =>
        of === 'groups' ? <Text size="sm">{holder}</Text> : <SubjectName id={holder} />,
    },
    {
      id: 'role',
      header: t('access.role'),
      cell: ({ role, resource }) => (
        <Labels names={[resource === '' ? role : `${role} · ${resource}`]} />
      ),
    },
    {
      id: 'expires',
      header: t('access.expires'),
      isSecondary: true,
      cell: ({ expiresAt }) =>
        expiresAt === undefined ? t('access.never') : <Time at={expiresAt} />,
    },
    ...(of === 'groups' ? [] : [why]),
  ];
}

/** Removes a grant, after it has shown the permissions that people lose by it. */
function Remove({ grant, onClose }: { grant: GrantRow; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useGrantChange();
  const onSuccess = () => {
    onClose();
    notify(t('access.removed'));
  };
  return (
    <Confirm
      title={t('access.removeGrant', { role: grant.role })}
      action={t('access.remove')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.make(grant.removal, onSuccess)}
      onClose={onClose}
    >
      <WhatIf change={grant.removal} />
    </Confirm>
  );
}
