import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AddressField, useSubjectOf } from './address-field.tsx';
import { WhatIf } from './what-if.tsx';

/** One group: its members, and the way to delete it. */
export function GroupPage({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const [isDeleting, setDeleting] = useState(false);
  const { data, error } = useCall('Groups_Get', { Tenant, Path: path });
  const mayWrite = may('iam.groups.write');
  const remove = (
    <Button variant="default" c="var(--mantine-color-error)" onClick={() => setDeleting(true)}>
      {t('access.delete')}
    </Button>
  );
  if (data && !data.Group) return <Empty icon="warning" title={path} about={t('access.noGroup')} />;
  return (
    <Page
      title={data?.Group?.Name || path}
      about={
        <Anchor component={Link} to={`/console/t/${Slug}/groups`} size="sm">
          {t('access.toGroups')}
        </Anchor>
      }
      actions={data?.Group && mayWrite && remove}
    >
      <FailureNotice error={error} />
      {!data && !error && <Skeleton height={120} />}
      {data?.Group && (
        <>
          <Group gap="sm">
            <span>{path}</span>
            <Id id={data.Group.ID} />
          </Group>
          <Members path={path} mayWrite={mayWrite} />
        </>
      )}
      {isDeleting && <Delete path={path} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function Members({ path, mayWrite }: { path: string; mayWrite: boolean }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [cursor, setCursor] = useState('');
  const [removed, setRemoved] = useState<string>();
  const request = { Tenant, Group: path, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Groups_ListMembers', request, { keepsPrevious: true });
  const page = pageOf<'Groups_ListMembers'>(list.data);
  return (
    <Stack gap="sm" component="section" aria-labelledby="group-members">
      <Title order={2} size="h4" id="group-members">
        {t('access.members')}
      </Title>
      {mayWrite && <AddMember path={path} />}
      <CursorList
        label={t('access.members')}
        columns={useMemberColumns(mayWrite ? setRemoved : undefined)}
        idOf={({ id }) => id}
        page={page && { items: page.items.map((id) => ({ id })), next: page.next }}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={setCursor}
        empty={
          <Empty icon="people" title={t('access.noMembers')} about={t('access.membersAbout')} />
        }
      />
      <SameByApi operation="Groups_ListMembers" request={request} />
      {removed !== undefined && (
        <RemoveMember path={path} id={removed} onClose={() => setRemoved(undefined)} />
      )}
    </Stack>
  );
}

function useMemberColumns(onRemove?: (id: string) => void): Column<{ id: string }>[] {
  const { t } = useTexts();
  return [
    { id: 'person', header: t('access.person'), cell: ({ id }) => <Person id={id} /> },
    ...(onRemove
      ? [
          {
            id: 'actions',
            header: t('access.actions'),
            hasHiddenHeader: true,
            cell: ({ id }: { id: string }) => (
              <RowAction isRed onClick={() => onRemove(id)}>
                {t('access.remove')}
              </RowAction>
            ),
          },
        ]
      : []),
  ];
}

function AddMember({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const { id, isUnknown } = useSubjectOf(text);
  const change = useChange('Groups_AddMember', { stale: ['Groups_ListMembers'] });
  const request = { Tenant, Group: path, UserID: id };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(request, { onSuccess: () => setText('') });
      }}
    >
      <Stack gap="xs" maw={520}>
        <AddressField
          label={t('access.addMember')}
          description={t('access.personAbout')}
          value={text}
          onChange={setText}
          isUnknown={isUnknown}
        />
        {id !== '' && <WhatIf change={{ Groups_AddMember: request }} />}
        <FailureNotice error={change.error} />
        <Group>
          <Button type="submit" variant="default" disabled={id === ''} loading={change.isPending}>
            {t('access.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type RemoveProps = { path: string; id: string; onClose: () => void };

function RemoveMember({ path, id, onClose }: RemoveProps) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const change = useChange('Groups_RemoveMember', { stale: ['Groups_ListMembers'] });
  const request = { Tenant, Group: path, UserID: id };
  return (
    <Confirm
      title={t('access.removeMember')}
      action={t('access.remove')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(request, { onSuccess: onClose })}
      onClose={onClose}
    >
      <WhatIf change={{ Groups_RemoveMember: request }} />
    </Confirm>
  );
}

function Delete({ path, onClose }: { path: string; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const navigate = useNavigate();
  const { ID: Tenant, Slug } = useTenant();
  const change = useChange('Groups_Delete', { stale: ['Groups_ListByTenant'] });
  const request = { Tenant, Path: path };
  const onSuccess = () => {
    notify(t('access.deleted', { name: path }));
    void navigate({ to: `/console/t/${Slug}/groups` });
  };
  return (
    <Confirm
      title={t('access.deleteGroup')}
      action={t('access.delete')}
      phrase={path}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(request, { onSuccess })}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">{t('access.deleteGroupAbout')}</Text>
        <WhatIf change={{ Groups_Delete: request }} />
      </Stack>
    </Confirm>
  );
}
