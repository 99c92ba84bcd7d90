import { Badge, Button, NativeSelect, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { RowAction, RowLink } from '../parts/row-action.tsx';
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
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<GrantRow>();
  const request = { Tenant: ID, Page: { Limit: 25, Cursor: cursor } };
  const { page, query } = useGrants(of, request);
  const go = (next: Holder, at = '') =>
    void navigate({ to: '.', search: { of: next, ...(at !== '' && { cursor: at }) } as never });
  const mayWrite = may('iam.grants.write');
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      {t('access.addGrant')}
    </Button>
  );
  return (
    <Page title={t('access.grants')} about={t('access.grantsAbout')} actions={mayWrite && add}>
      <NativeSelect
        label={t('access.rolesOf')}
        maw={240}
        value={of}
        onChange={(event) => go(event.currentTarget.value as Holder)}
        data={holders.map((value) => ({ value, label: t(names[value]) }))}
      />
      <CursorList
        key={of}
        label={t('access.grants')}
        columns={useColumns(of, mayWrite ? setRemoved : undefined)}
        idOf={({ id }) => id}
        page={page}
        isChanging={query.isPlaceholderData}
        error={query.error}
        onRetry={() => void query.refetch()}
        cursor={cursor}
        onCursor={(next) => go(of, next)}
        empty={<Empty icon="shield" title={t('access.noGrants')} about={t('access.grantsAbout')} />}
      />
      <SameByApi operation={operations[of]} request={request} />
      {isAdding && <GrantDialog of={of} onClose={() => setAdding(false)} />}
      {removed && <Remove grant={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function useColumns(of: Holder, onRemove?: (grant: GrantRow) => void): Column<GrantRow>[] {
  const { t } = useTexts();
  const { whyColumn, removeColumn } = useButtons();
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
        <Badge variant="default" tt="none">
          {resource === '' ? role : `${role} · ${resource}`}
        </Badge>
      ),
    },
    {
      id: 'expires',
      header: t('access.expires'),
      isSecondary: true,
      cell: ({ expiresAt }) =>
        expiresAt === undefined ? t('access.never') : <Time at={expiresAt} />,
    },
    ...(of === 'groups' ? [] : [whyColumn]),
    ...(onRemove ? [removeColumn(onRemove)] : []),
  ];
}

/** The buttons of a row. */
function useButtons() {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const whyColumn: Column<GrantRow> = {
    id: 'why',
    header: t('access.why'),
    hasHiddenHeader: true,
    isSecondary: true,
    cell: ({ holder }: GrantRow) => (
      <RowLink to={`/console/t/${Slug}/why?subject=${holder}`}>{t('access.check')}</RowLink>
    ),
  };
  const removeColumn = (onRemove: (grant: GrantRow) => void): Column<GrantRow> => ({
    id: 'actions',
    header: t('access.actions'),
    hasHiddenHeader: true,
    cell: (grant: GrantRow) => (
      <RowAction
        isRed
        aria-label={`${t('access.remove')}: ${grant.role}`}
        onClick={() => onRemove(grant)}
      >
        {t('access.remove')}
      </RowAction>
    ),
  });
  return { whyColumn, removeColumn };
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
