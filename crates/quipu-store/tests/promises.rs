//! The list of promises. A store that keeps them calls [`keeps_every_promise`] with a way to make an
//! empty one, and gets a test of each.

/// Makes a test of every promise for the stores that an expression makes; those of `PostgreSQL` come
/// from a function `with_stores` beside it.
macro_rules! keeps_every_promise {
    (postgres) => {
        keeps_every_promise! { @list with_stores }
    };
    ($open:expr) => {
        fn with_stores(promise: impl FnOnce(&dyn Fn() -> Box<dyn quipu_store::Store>)) {
            promise(&$open);
        }

        keeps_every_promise! { @list with_stores }
    };
    (@list $with:ident) => {
        keeps_every_promise! {
            @tests $with;
            conformance:
                an_item_comes_back,
                a_change_replaces,
                a_removed_item_is_gone_everywhere,
                events_are_filed_once_and_come_in_order_of_time,
                the_base_stays_beside_what_was_decided,
                ids_are_found_by_their_beginning,
                sources_are_remembered,
                search_uses_words_meaning_and_filters,
                models_never_meet,
                turns_borrow_from_their_neighbours,
                same_words_are_folded,
                what_is_hidden_counts_nowhere,
                hidden_experiences_push_no_public_one_out,
                accesses_are_counted,
                old_accesses_stand_together_and_the_last_stays,
                entities_have_company_and_names_have_events,
                every_living_vector_is_told,
                a_purge_removes_what_was_said,
                the_newest_come_first_under_a_filter,
                experiences_are_kept_bounded_and_follow_their_items,
                every_write_is_noticed_and_the_next_change_is_known,
                the_order_of_writing_leaves_no_trace;
            several:
                items_come_in_the_order_of_their_ids,
                events_come_in_the_order_of_their_items;
            replaced:
                a_store_takes_over_all_of_another,
                what_is_taken_over_has_a_generation_of_its_own;
            precision:
                compressing_bricks_no_reader,
                a_second_run_changes_nothing,
                vectors_stay_near_what_they_were,
                what_should_be_exact_again_is_made_anew,
                what_nobody_has_a_vector_for_stays_as_it_is,
                of_equal_copies_the_precise_one_comes_first,
                a_model_that_nobody_used_has_nothing_to_compress,
                whatever_is_compressed_when_the_digest_stays;
        }
    };
    (@tests $with:ident; $($file:ident: $($promise:ident),+;)+) => {
        $($(
            #[test]
            fn $promise() {
                $with(|open| crate::$file::$promise(open));
            }
        )+)+
    };
}

pub(crate) use keeps_every_promise;
