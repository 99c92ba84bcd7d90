import type { RequestOf } from '@bailiwick/client/client.ts';
import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../parts/calls.ts';
import { describeFailure } from '../parts/failure.ts';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { saveFile } from '../parts/save-file.ts';
import { useTexts } from '../parts/texts.tsx';

type Format = 'ndjson' | 'csv';
type Props = { tenant: string; filter: RequestOf<'Audit_List'>['Filter'] };

/** Saves the entries that match the filters as a file. The export is an entry of the audit itself. */
export function ExportMenu({ tenant, filter }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const { mutate, isPending } = useMutation({
    mutationFn: async (format: Format) => {
      const request = { Tenant: tenant, Format: format, ...(filter && { Filter: filter }) };
      const response = await client.stream('Audit_Export', request);
      saveFile(await response.blob(), `audit.${format}`);
    },
    onSuccess: () => notify(t('audit.exported')),
    onError: (error) => notify(t(describeFailure(error).title), { isFailure: true }),
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" />} loading={isPending}>
          {t('audit.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => mutate('csv')}>{t('audit.exportCsv')}</Menu.Item>
        <Menu.Item onClick={() => mutate('ndjson')}>{t('audit.exportJson')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
