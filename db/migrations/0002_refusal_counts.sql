ALTER TABLE `audit_log` ADD `count` integer;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `merge_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_by_merge_key` ON `audit_log` (`merge_key`);--> statement-breakpoint
CREATE INDEX `certificates_by_session` ON `certificates` (`session_id`,`issued_at`);