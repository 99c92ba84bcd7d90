import type { ItemOf, RequestOf } from '@bailiwick/client/client.ts';
import { FailedPreconditionError } from '@bailiwick/client/errors.ts';
import { Alert, Badge, Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { rights } from '../grants/rights.ts';
import { WhatIf } from '../grants/what-if.tsx';
import { client, useChange } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ifUnchanged } from '../parts/edit-form.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { usePermissionNames } from './permission-names.ts';

type Role = ItemOf<'Roles_ListByTenant'>;
type Fields = { slug: string; name: string; description: string; permissions: string[] };

const fieldsOf = (role: Role | undefined): Fields => ({
  slug: role?.Slug ?? '',
  name: role?.Name ?? '',
  description: role?.Description ?? '',
  permissions: [...(role?.Permissions ?? [])],
});

const requestOf = (Tenant: string, fields: Fields, base: Role | undefined) => ({
  Role: {
    Tenant,
    Slug: fields.slug.trim(),
    Name: fields.name.trim(),
    Description: fields.description,
    Permissions: fields.permissions,
  },
  ...(base && ifUnchanged(base)),
});

const isTaken = async (Tenant: string, Slug: string): Promise<boolean> => {
  const { Role: match } = await client.call('Roles_Get', { Tenant, Slug });
  return !!match;
};

/** The effect of a change on the people and bots that have the role, once the typing pauses. */
function Effect({ request }: { request: RequestOf<'Roles_Save'> }) {
  const [requestText] = useDebouncedValue(JSON.stringify(request), 400);
  return <WhatIf change={{ Roles_Save: JSON.parse(requestText) as RequestOf<'Roles_Save'> }} />;
}

/** The role as it is stored now, if somebody has saved it since. */
async function changedSince({ Tenant, Slug, UpdatedAt }: Role): Promise<Role | undefined> {
  const { Role: stored } = await client.call('Roles_Get', { Tenant, Slug });
  return stored && stored.UpdatedAt !== UpdatedAt ? stored : undefined;
}

/** Makes a role, or changes one. A change that somebody else made meanwhile is shown first. */
export function RoleDialog({ role, onClose }: { role?: Role; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID: Tenant } = useTenant();
  const [base, setBase] = useState(role);
  const [theirs, setTheirs] = useState<Role>();
  const change = useChange('Roles_Save', {
    stale: ['Roles_ListByTenant', 'Roles_Get', ...rights],
  });
  const form = useForm<Fields>({
    initialValues: fieldsOf(role),
    validate: {
      slug: (slug) => (/^[a-z0-9][a-z0-9_-]*$/.test(slug.trim()) ? null : t('access.slugMissing')),
    },
  });
  const toRequest = (fields: Fields) => requestOf(Tenant, fields, base);
  // If this fails too, the error of the call stays.
  const compare = (old: Role) => changedSince(old).then(setTheirs, () => undefined);
  const onError = (error: unknown) => {
    if (base && error instanceof FailedPreconditionError) void compare(base);
  };
  const onSuccess = () => {
    onClose();
    notify(t('access.saved'));
  };
  const save = async (fields: Fields) => {
    // To save an existing name would change that role.
    if (!base && (await isTaken(Tenant, fields.slug.trim())))
      form.setFieldError('slug', t('access.taken'));
    else change.mutate(toRequest(fields), { onSuccess, onError });
  };
  const goOn = (stored: Role, takesTheirs: boolean) => {
    if (takesTheirs) form.setValues(fieldsOf(stored));
    setBase(stored);
    setTheirs(undefined);
    change.reset();
  };
  return (
    <Dialog onClose={onClose} size="lg" title={role ? t('access.editRole') : t('access.addRole')}>
      <form onSubmit={form.onSubmit((fields) => void save(fields))} noValidate>
        <Stack>
          <RoleFields form={form} isNew={!role} />
          {base && <Effect request={toRequest(form.values)} />}
          {theirs ? (
            <Conflict theirs={theirs} onChoice={(isTaken) => goOn(theirs, isTaken)} />
          ) : (
            <FailureNotice error={change.error} />
          )}
          <Buttons onCancel={onClose} isBusy={change.isPending} isHeld={theirs !== undefined} />
          <SameByApi operation="Roles_Save" request={toRequest(form.values)} />
        </Stack>
      </form>
    </Dialog>
  );
}

type ButtonsProps = { onCancel: () => void; isBusy: boolean; isHeld: boolean };

function Buttons({ onCancel, isBusy, isHeld }: ButtonsProps) {
  const { t } = useTexts();
  return (
    <Group justify="end">
      <Button variant="default" onClick={onCancel}>
        {t('form.cancel')}
      </Button>
      <Button type="submit" loading={isBusy} disabled={isHeld}>
        {t('form.save')}
      </Button>
    </Group>
  );
}

function RoleFields({ form, isNew }: { form: UseFormReturnType<Fields>; isNew: boolean }) {
  const { t } = useTexts();
  const names = usePermissionNames();
  return (
    <>
      <TextInput
        {...form.getInputProps('slug')}
        label={t('access.slug')}
        description={t('access.slugAbout')}
        disabled={!isNew}
        autoComplete="off"
        spellCheck={false}
        data-autofocus={isNew}
      />
      <TextInput {...form.getInputProps('name')} label={t('access.name')} />
      <TextInput {...form.getInputProps('description')} label={t('access.description')} />
      <TagsInput
        {...form.getInputProps('permissions')}
        label={t('access.permissions')}
        description={t('access.permissionsAbout')}
        data={names}
        limit={30}
        splitChars={[' ', ',']}
        clearable
      />
    </>
  );
}

type ConflictProps = { theirs: Role; onChoice: (isTaken: boolean) => void };

/** The role as somebody else has saved it since, and the choice between the two. */
function Conflict({ theirs, onChoice }: ConflictProps) {
  const { t } = useTexts();
  return (
    <Alert role="alert" color="orange" icon={<Icon name="warning" />} title={t('access.conflict')}>
      <Stack gap="sm">
        <Text size="sm">{t('access.conflictAbout')}</Text>
        <Text size="sm" fw={600}>
          {theirs.Name || theirs.Slug}
        </Text>
        {theirs.Description !== '' && <Text size="sm">{theirs.Description}</Text>}
        <Group gap={4}>
          {theirs.Permissions.map((name) => (
            <Badge key={name} variant="default" tt="none">
              {name}
            </Badge>
          ))}
        </Group>
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => onChoice(true)}>
            {t('access.takeTheirs')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onChoice(false)}>
            {t('access.keepMine')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
