import { notifications } from '@mantine/notifications';
import { useTexts } from './texts.tsx';

/** Says for a few seconds that something was done, or that it failed. */
export function useNotify() {
  const { t } = useTexts();
  return (message: string, { isFailure = false } = {}) =>
    notifications.show({
      message,
      color: isFailure ? 'red' : 'teal',
      closeButtonProps: { 'aria-label': t('form.close') },
    });
}
