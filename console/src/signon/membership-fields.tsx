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
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import type { FieldsProps } from './provider-fields.ts';

/** Who becomes a member by signing in, and with which roles and groups. */
export function MembershipFields({ form, labels, isPlatform }: FieldsProps) {
  const { t } = useTexts();
  return (
    <>
      <Switch
        {...form.getInputProps('jit', { type: 'checkbox' })}
        label={labels.jit}
        description={t('signon.jitAbout')}
      />
      {!isPlatform && (
        <TagsInput
          {...form.getInputProps('roles')}
          label={labels.roles}
          description={t('signon.rolesAbout')}
          splitChars={[',', ' ']}
        />
      )}
      {!isPlatform && <Mappings form={form} />}
    </>
  );
}

function Mappings({ form }: Pick<FieldsProps, 'form'>) {
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
