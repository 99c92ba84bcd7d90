import { Button, Group, NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTexts } from '../parts/texts.tsx';
import { toInstant, toLocalTime } from './search.ts';
import { useAuditSearch } from './use-search.ts';

function useFilterForm() {
  const { t } = useTexts();
  const { search } = useAuditSearch();
  return useForm({
    initialValues: {
      action: search.action ?? '',
      operation: search.operation ?? '',
      actor: search.actor ?? '',
      target: search.target ?? '',
      result: search.result ?? '',
      ip: search.ip ?? '',
      from: toLocalTime(search.from),
      to: toLocalTime(search.to),
    },
    validate: {
      to: (to, { from }) => (from !== '' && to !== '' && to <= from ? t('audit.inverted') : null),
    },
  });
}

type FilterForm = ReturnType<typeof useFilterForm>;

/** The form of the filters. They take effect together, and stand in the address of the view. */
export function Filters() {
  const { t } = useTexts();
  const { isFiltered, setFilters } = useAuditSearch();
  const form = useFilterForm();
  const apply = ({ from, to, ...fields }: typeof form.values) =>
    setFilters({
      ...Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text.trim()])),
      from: toInstant(from),
      to: toInstant(to),
    });
  return (
    <Paper withBorder p="md" component="search">
      <form onSubmit={form.onSubmit(apply)} aria-label={t('audit.filters')} noValidate>
        <Stack gap="sm">
          <Fields form={form} />
          <Group gap="xs">
            <Button type="submit">{t('audit.apply')}</Button>
            {isFiltered && (
              <Button variant="default" onClick={() => setFilters({})}>
                {t('audit.clear')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

const Fields = ({ form }: { form: FilterForm }) => (
  <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="sm">
    <Names form={form} />
    <Circumstances form={form} />
  </SimpleGrid>
);

function Names({ form }: { form: FilterForm }) {
  const { t } = useTexts();
  return (
    <>
      <TextInput
        {...form.getInputProps('action')}
        label={t('audit.actionBegins')}
        placeholder="group."
        maxLength={64}
        spellCheck={false}
      />
      <TextInput
        {...form.getInputProps('operation')}
        label={t('audit.operationBegins')}
        placeholder="Groups_"
        maxLength={64}
        spellCheck={false}
      />
      <TextInput
        {...form.getInputProps('actor')}
        label={t('audit.actorId')}
        placeholder="usr_…"
        maxLength={64}
        spellCheck={false}
      />
      <TextInput
        {...form.getInputProps('target')}
        label={t('audit.targetId')}
        placeholder="grp_…"
        maxLength={256}
        spellCheck={false}
      />
    </>
  );
}

function Circumstances({ form }: { form: FilterForm }) {
  const { t } = useTexts();
  return (
    <>
      <NativeSelect
        {...form.getInputProps('result')}
        label={t('audit.result')}
        data={[
          { value: '', label: t('audit.any') },
          { value: 'success', label: t('audit.success') },
          { value: 'denied', label: t('audit.denied') },
          { value: 'failed', label: t('audit.failed') },
        ]}
      />
      <TextInput
        {...form.getInputProps('ip')}
        label={t('audit.ip')}
        placeholder="192.0.2.1"
        maxLength={64}
        spellCheck={false}
      />
      <TextInput {...form.getInputProps('from')} label={t('audit.from')} type="datetime-local" />
      <TextInput {...form.getInputProps('to')} label={t('audit.to')} type="datetime-local" />
    </>
  );
}
