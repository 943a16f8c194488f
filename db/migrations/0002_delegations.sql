CREATE TABLE `delegations` (
	`id` text PRIMARY KEY NOT NULL,
	`plan_id` text NOT NULL,
	`holder_sub` text NOT NULL,
	`delegate_sub` text,
	`code_hash` text,
	`comparison` integer,
	`holder_confirmed` integer DEFAULT false NOT NULL,
	`delegate_confirmed` integer DEFAULT false NOT NULL,
	`ends_at` integer,
	FOREIGN KEY (`plan_id`) REFERENCES `travel_plans`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `delegations_code_hash_unique` ON `delegations` (`code_hash`);--> statement-breakpoint
CREATE INDEX `delegations_by_plan` ON `delegations` (`plan_id`);--> statement-breakpoint
CREATE INDEX `delegations_by_delegate` ON `delegations` (`delegate_sub`) WHERE "delegations"."delegate_sub" is not null;--> statement-breakpoint
CREATE INDEX `delegations_by_end` ON `delegations` (`ends_at`) WHERE "delegations"."ends_at" is not null;--> statement-breakpoint
ALTER TABLE `loaded_plans` ADD `delegation_id` text;