CREATE TABLE `clear_marks` (
	`device_id` text NOT NULL,
	`sub` text NOT NULL,
	`plan_id` text,
	`cti` text NOT NULL,
	`cleared_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	PRIMARY KEY(`device_id`, `sub`),
	FOREIGN KEY (`plan_id`) REFERENCES `travel_plans`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `clear_marks_by_plan` ON `clear_marks` (`plan_id`) WHERE "clear_marks"."plan_id" is not null;--> statement-breakpoint
CREATE INDEX `clear_marks_by_end` ON `clear_marks` (`ends_at`);--> statement-breakpoint
CREATE TABLE `guards` (
	`held` integer NOT NULL,
	CONSTRAINT "facts_unchanged" CHECK("guards"."held")
);
--> statement-breakpoint
DROP INDEX `locks_by_plan`;--> statement-breakpoint
CREATE INDEX `locks_by_plan` ON `device_ticket_locks` (`plan_id`,`baggage_id`);--> statement-breakpoint
DROP INDEX `loaded_plans_by_plan`;--> statement-breakpoint
CREATE INDEX `loaded_plans_by_plan` ON `loaded_plans` (`plan_id`,`loaded_at`,`sub`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `key_spki_hash` text;