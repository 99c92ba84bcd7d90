import type { ResponseOf } from '@bailiwick/client/client.ts';
import { AlreadyExistsError, type BailiwickError } from '@bailiwick/client/errors.ts';
import { Stack, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormButtons } from '../parts/call-form.tsx';
import { client, invalidate } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { withProof } from '../parts/proof.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';

type Tenant = ResponseOf<'Tenants_Create'>['Tenant'];
type Fields = { name: string; slug: string; administrator: string; domain: string };
type Created = { tenant: Tenant; failed: readonly TextKey[] };

const toRequest = ({ name, slug }: Fields) => ({
  Tenant: { Name: name.trim(), ...(slug.trim() !== '' && { Slug: slug.trim() }) },
});

/**
 * Creates the tenant, and then its invitation and its domain. The tenant stays if a later call fails: its own
 * views make up for that.
 */
async function createTenant(fields: Fields): Promise<Created> {
  const { Tenant } = await withProof(() => client.call('Tenants_Create', toRequest(fields)));
  const failed: TextKey[] = [];
  const { ID } = Tenant;
  const attempt = (call: Promise<unknown>, text: TextKey) => call.catch(() => failed.push(text));
  const Email = fields.administrator.trim();
  if (Email !== '')
    await attempt(
      client.call('TenantInvitations_Create', { Tenant: ID, Email, Roles: ['owner'] }),
      'start.notInvited',
    );
  const Name = fields.domain.trim();
  if (Name !== '')
    await attempt(client.call('Domain_Create', { Tenant: ID, Name }), 'start.noDomain');
  return { tenant: Tenant, failed };
}

type Props = {
  /** Whether the tenant is for others: with its first administrator and domain. */
  isForOthers?: boolean;
  onDone: (tenant: Tenant) => void;
  onCancel?: () => void;
};

/** The form of a new tenant. */
export function NewTenantForm({ isForOthers = false, onDone, onCancel }: Props) {
  const { t } = useTexts();
  const form = useForm<Fields>({
    initialValues: { name: '', slug: '', administrator: '', domain: '' },
    validate: {
      name: (name) => (name.trim() === '' ? t('start.nameMissing') : null),
      administrator: (address) =>
        address.trim() === '' || address.includes('@') ? null : t('start.addressWrong'),
    },
  });
  const change = useCreation(onDone);
  const isTaken = change.error instanceof AlreadyExistsError;
  const send = (fields: Fields) =>
    change.mutate(fields, {
      onError: (error) =>
        error instanceof AlreadyExistsError && form.setErrors({ slug: t('start.slugTaken') }),
    });
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack>
        <TextInput
          {...form.getInputProps('name')}
          label={t('start.name')}
          description={t('start.nameAbout')}
          maxLength={128}
          autoComplete="organization"
          data-autofocus
        />
        <TextInput
          {...form.getInputProps('slug')}
          label={t('start.slug')}
          description={t('start.slugAbout')}
          autoComplete="off"
          spellCheck={false}
        />
        {isForOthers && <ForOthers form={form} />}
        <FailureNotice error={isTaken ? null : change.error} />
        <FormButtons submit={t('start.create')} onCancel={onCancel} isBusy={change.isPending} />
        <SameByApi operation="Tenants_Create" request={toRequest(form.values)} />
      </Stack>
    </form>
  );
}

function ForOthers({ form }: { form: UseFormReturnType<Fields> }) {
  const { t } = useTexts();
  return (
    <>
      <TextInput
        {...form.getInputProps('administrator')}
        type="email"
        label={t('start.administrator')}
        description={t('start.administratorAbout')}
        autoComplete="off"
      />
      <TextInput
        {...form.getInputProps('domain')}
        label={t('start.domain')}
        description={t('start.domainAbout')}
        placeholder="example.com"
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}

function useCreation(onDone: (tenant: Tenant) => void) {
  const { t } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  return useMutation<Created, BailiwickError, Fields>({
    mutationFn: createTenant,
    async onSuccess({ tenant, failed }) {
      await invalidate(queries, ['Account_Get', 'Tenants_List']);
      notify(t('start.created', { tenant: tenant.Name }));
      for (const text of failed) notify(t(text), { isFailure: true });
      onDone(tenant);
    },
  });
}
