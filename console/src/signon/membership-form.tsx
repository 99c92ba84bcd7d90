import type { ItemOf } from '@bailiwick/client/client.ts';
import {
  Button,
  Group,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { client } from '../parts/calls.ts';
import { EditForm, ifUnchanged } from '../parts/edit-form.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';

type Provider = ItemOf<'Sso_ListProviders'>;
type Fields = {
  jit: boolean;
  roles: string[];
  mappings: Array<{ Value: string; Group: string; Role: string }>;
  keepsAbsent: boolean;
};

const fieldsOf = ({ Jit, DefaultRoles, GroupMappings, AbsentGroups }: Provider): Fields => ({
  jit: Jit,
  roles: DefaultRoles,
  mappings: GroupMappings,
  keepsAbsent: AbsentGroups === 'keep',
});

/** Who becomes a member by signing in, and with which roles and groups. */
export function MembershipForm({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { scope, name } = useOwner();
  const { ID } = provider;
  const isPlatform = name === '';
  return (
    <EditForm
      operation="Sso_SaveProvider"
      record={provider}
      fieldsOf={fieldsOf}
      toRequest={({ jit, roles, mappings, keepsAbsent }, base) => ({
        Provider: {
          ...scope,
          ID,
          Name: base.Name,
          Jit: jit,
          // People of the platform's providers belong to no tenant yet.
          ...(!isPlatform && {
            DefaultRoles: roles,
            GroupMappings: mappings,
            AbsentGroups: keepsAbsent ? 'keep' : 'remove',
          }),
        },
        ...ifUnchanged(base),
      })}
      read={async () => (await client.call('Sso_GetProvider', { ...scope, ID })).Provider}
      recordIn={({ Provider }) => Provider}
      labels={{
        jit: t('signon.jit'),
        roles: t('signon.roles'),
        mappings: t('signon.mappings'),
        keepsAbsent: t('signon.keepsAbsent'),
      }}
      stale={['Sso_GetProvider', 'Sso_ListProviders']}
      onDone={({ Provider }) => notify(t('signon.saved', { name: Provider.Name }))}
      submit={t('form.save')}
    >
      {(form) => (
        <>
          <Switch
            {...form.getInputProps('jit', { type: 'checkbox' })}
            label={t('signon.jit')}
            description={t('signon.jitAbout')}
          />
          {!isPlatform && (
            <TagsInput
              {...form.getInputProps('roles')}
              label={t('signon.roles')}
              description={t('signon.rolesAbout')}
              splitChars={[',', ' ']}
            />
          )}
          {!isPlatform && <Mappings form={form} />}
        </>
      )}
    </EditForm>
  );
}

function Mappings({ form }: { form: UseFormReturnType<Fields> }) {
  const { t } = useTexts();
  const { mappings } = form.values;
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={600}>
          {t('signon.mappings')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('signon.mappingsAbout')}
        </Text>
      </div>
      {mappings.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that stays the same
        <Group key={index} align="end" gap="xs">
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs" flex={1} miw={200}>
            <TextInput
              {...form.getInputProps(`mappings.${index}.Value`)}
              label={t('signon.mappingValue')}
            />
            <TextInput
              {...form.getInputProps(`mappings.${index}.Group`)}
              label={t('signon.mappingGroup')}
            />
            <TextInput
              {...form.getInputProps(`mappings.${index}.Role`)}
              label={t('signon.mappingRole')}
            />
          </SimpleGrid>
          <Button variant="default" onClick={() => form.removeListItem('mappings', index)}>
            {t('signon.removeMapping')}
          </Button>
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => form.insertListItem('mappings', { Value: '', Group: '', Role: '' })}
        >
          {t('signon.addMapping')}
        </Button>
      </Group>
      <Switch
        {...form.getInputProps('keepsAbsent', { type: 'checkbox' })}
        label={t('signon.keepsAbsent')}
        description={t('signon.keepsAbsentAbout')}
      />
    </Stack>
  );
}
