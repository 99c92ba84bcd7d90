import type { ReactNode } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import type { CursorPlace } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useNotifyWithUndo } from '../parts/undo.tsx';
import { useTenant } from '../shell/routes.tsx';
import {
  type GrantRow,
  type GrantSelection,
  holderTexts,
  useGrantChange,
  useGrants,
} from './grant-kinds.ts';
import { rights } from './rights.ts';
import { HolderName } from './subject-name.tsx';
import { WhatIf } from './what-if.tsx';

type Props = {
  selection: GrantSelection;
  /** Columns that the view names by itself. */
  hides?: 'holder' | 'role';
  place: CursorPlace;
  empty: ReactNode;
};

/** Grants of people, groups or bots: of one holder, of one role, or all. */
export function GrantList({ selection, hides, place, empty }: Props) {
  const { t } = useTexts();
  const { may } = useTenant();
  const { page, query, operation, request } = useGrants(selection, place.cursor);
  const { of, holder, role } = selection;
  return (
    <>
      <CursorList
        key={`${of} ${holder} ${role}`}
        label={t('access.grants')}
        columns={useColumns(selection, hides)}
        idOf={({ id }) => id}
        actions={[
          {
            text: t('access.remove'),
            label: (grant) => `${t('access.remove')}: ${grant.role}, ${grant.holder}`,
            may: may('iam.grants.write'),
            dialog: (grant, onClose) => <Remove grant={grant} onClose={onClose} />,
          },
        ]}
        page={page}
        isChanging={query.isPlaceholderData}
        error={query.error}
        onRetry={() => void query.refetch()}
        {...place}
        empty={empty}
      />
      <SameByApi operation={operation} request={request} />
    </>
  );
}

function useColumns({ of }: GrantSelection, hides: Props['hides']): Column<GrantRow>[] {
  const { t } = useTexts();
  const { Slug, may } = useTenant();
  const roleColumn: Column<GrantRow> = {
    id: 'role',
    header: t('access.role'),
    cell: ({ role, resource }) => (
      <NameCell
        name={role}
        {...(may('iam.roles.read') && { to: `/console/t/${Slug}/roles?role=${role}` })}
        detail={resource}
      />
    ),
  };
  const holderColumn: Column<GrantRow> = {
    id: 'holder',
    header: t(holderTexts[of]),
    cell: ({ holder }) => <HolderName of={of} id={holder} />,
  };
  const resourceColumn: Column<GrantRow> = {
    id: 'resource',
    header: t('access.resource'),
    cell: ({ resource }) => resource || '–',
  };
  return [
    ...(hides === 'holder' ? [] : [holderColumn]),
    hides === 'role' ? resourceColumn : roleColumn,
    {
      id: 'expires',
      header: t('access.expires'),
      isSecondary: true,
      cell: ({ expiresAt }) =>
        expiresAt === undefined ? t('access.never') : <Time at={expiresAt} />,
    },
  ];
}

/** Removes a grant, after it has shown the permissions that people lose by it. */
function Remove({ grant, onClose }: { grant: GrantRow; onClose: () => void }) {
  const { t } = useTexts();
  const notifyWithUndo = useNotifyWithUndo();
  const change = useGrantChange();
  const onSuccess = () => {
    onClose();
    const { restore } = grant;
    notifyWithUndo(t('access.removed'), { calls: restore ? [restore] : [], stale: rights });
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
