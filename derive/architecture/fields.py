"""Fields by name: spellings of one field, and fields that carry no weight, each with the reason."""

from __future__ import annotations

from derive.text import Text

SPELLINGS: dict[str, tuple[str, ...]] = {
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
    "hidden_size": ("n_embd", "n_embed", "d_model", "dim"),
    "num_attention_heads": ("n_head", "n_heads"),
    "num_key_value_heads": ("num_kv_heads", "n_kv_heads", "kv_n_heads"),
    "intermediate_size": ("n_inner", "ffn_dim", "ffn_hidden_size", "hidden_dim"),
    "vocab_size": ("padded_vocab_size",),
    "max_position_embeddings": ("n_positions", "seq_length", "max_seq_len"),
    "num_experts": ("num_local_experts", "n_routed_experts", "moe_num_experts"),
    "num_experts_per_tok": (
        "experts_per_token", "num_experts_per_token", "moe_top_k", "moe_topk", "top_k_experts",
        "moe_k",
    ),
    "tie_word_embeddings": ("tie_embedding",),
    "num_nextn_predict_layers": ("num_mtp_layers",),
}  # fmt: skip

# Fields understood only at these values; at any other the file is refused.
ONLY: dict[str, tuple[object, ...]] = {
    "is_encoder_decoder": (False, None),
    "add_cross_attention": (False, None),
    "cross_attention_hidden_size": (None,),
    "tie_encoder_decoder": (False, None),
    "pruned_heads": ({}, None),
    "quantization": (None,),
    "audio_config": (None,),
    "vision_config": (None,),
    "add_classification_head": (False, None),
    "per_layer_config": ({}, None),
    "adapters": (None,),
    "sparsity_config": ({}, None),
    "use_bidirectional_attention": (False, None),
    "quantize_embeddings": (False, None),
}

_GROUPS: tuple[tuple[Text, str], ...] = (
    (
        Text("a name or a version, no shape", "名称或版本，与形状无关"),
        """_name_or_path _commit_hash _from_model_config _attn_implementation_autoset
        _attn_implementation attn_implementation transformers_version tokenizer_class
        tokenizer_name auto_map model_type architectures finetuning_task problem_type
        task_specific_params name version custom_pipelines library_name torchscript
        model_version unsloth_version unsloth_fixed _experts_implementation
        experts_implementation adapter_name base_model dtype torch_dtype use_bfloat16
        tf_legacy_loss pipeline_tag license _comment description""",
    ),
    (
        Text(
            "position encoding by rotation or bias has no weights", "旋转或偏置式位置编码没有权重"
        ),
        """rope_theta rope_scaling rope_parameters rope_local_base_freq rope_type rope_interleave
        rope_traditional rope_interleaved partial_rotary_factor partial_rotary_factors
        rotary_dim rotary_pct rotary_emb_base rotary_percent rotary rope_pct rope_dim
        rotary_base original_max_position_embeddings use_rotary_pos_emb original_rope rope_ratio
        mrope_section mrope_interleaved use_mrope rope_local_theta local_rope_theta
        swa_rope_theta rope_percent rotary_emb_fraction rotary_emb_scale_base
        rotary_emb_interleaved use_scaled_rope initial_context_length max_sequence_length
        model_max_length use_dynamic_ntk use_logn_attn indexer_rope_interleave rope_mscale
        llama_4_scaling global_rope_theta""",
    ),
    (
        Text("a token of the vocabulary, no shape", "词表中的特殊 token，与形状无关"),
        """bos_token_id eos_token_id pad_token_id sep_token_id decoder_start_token_id unk_token_id
        mask_token_id image_token_id video_token_id audio_token_id vision_start_token_id
        vision_end_token_id vision_token_id image_token_index video_token_index
        audio_token_index boi_token_id eoi_token_id boa_token_id eoa_token_id eoa_token_index
        boi_token_index eoi_token_index eod_token_id im_start_id im_end_id im_newline_id
        text_start_id text_end_id mask_init_id pad_id eod_id image_start_token_id
        image_end_token_id video_start_token_id video_end_token_id audio_start_token_id
        audio_end_token_id image_break_token_id image_newline_token_id bos_token eos_token
        pad_token unk_token cls_token_id media_placeholder_token_id image_token video_token
        audio_token org_vocab_size _pad_token_id im_token_id think_start_token_id
        think_end_token_id""",
    ),
    (
        Text("used in training only", "只在训练中使用"),
        """attention_dropout hidden_dropout dropout resid_pdrop embd_pdrop attn_pdrop emb_pdrop
        hidden_dropout_prob attention_probs_dropout_prob resid_dropout embed_dropout ffn_dropout
        classifier_dropout layerdrop residual_dropout activation_dropout embedding_dropout
        initializer_range embedding_initializer_range initializer_factor init_std init_method
        init_device init_config router_aux_loss_coef router_z_loss_coef aux_loss_alpha seq_aux
        output_router_logits moe_loss_weight moe_jitter_eps router_jitter_noise
        input_jitter_noise z_loss_weight uniform_expert_assignment pretraining_tp
        gradient_checkpointing dropout_rate rescale_prenorm_residual time_step_init_scheme
        bias_dropout_fusion label_smoothing max_grad_norm moe_router_load_balancing_type
        moe_aux_loss_coeff moe_expert_capacity_factor moe_token_drop_policy
        router_bias_update_rate expert_balance_loss_coef aux_loss_coef z_loss_coef
        load_balance_coeff moe_z_loss_coeff router_dtype moe_router_dtype
        mtp_loss_scaling_factor mtp_loss_weight
        use_mup mup_base_width ep_size n_shared_head init_gain""",
    ),
    (
        Text("scales or bounds activations, has no weights", "只缩放或截断激活值，没有权重"),
        """attn_logit_softcapping final_logit_softcapping query_pre_attn_scalar logit_scale
        logits_scaling attention_multiplier embedding_multiplier residual_multiplier
        lm_head_multiplier key_multiplier mlp_multipliers ssm_multipliers ssm_in_multiplier
        ssm_out_multiplier attention_in_multiplier attention_out_multiplier scale_emb
        scale_depth dim_model_base clip_qkv routed_scaling_factor norm_topk_prob scoring_func
        swiglu_limit swiglu_limits swiglu_alpha softmax_scale attention_softmax_in_fp32
        scale_attention_softmax_in_fp32 scale_attn_weights scale_attn_by_inverse_layer_idx
        reorder_and_upcast_attn attention_softmax_scale logits_soft_cap
        embeddings_scale_by_sqrt_dim embedding_scale logit_cap attn_scale
        attn_temperature_tuning floor_scale moe_normalize_expert_weights
        normalize_expert_weights route_scale router_scale moe_renormalize routed_scaling
        hidden_act_param mup_scaling mup_multiplier norm_expert_weight topk_scaling_factor
        moe_router_topk_scaling_factor attention_value_scale mamba_scale zero_expert_scale
        moe_router_scaling_factor
        router_scaling_factor enable_moe_fp32_combine""",
    ),
    (
        Text("the activation function has no weights", "激活函数没有权重"),
        """hidden_act hidden_activation activation_function mlp_hidden_act mamba_hidden_act
        activation ffn_act_fn act_fn hidden_activation_function mlp_activation""",
    ),
    (
        Text("a small constant of a normalisation or a step", "归一化或步长中的小常数"),
        """rms_norm_eps layer_norm_eps layer_norm_epsilon layernorm_epsilon norm_eps norm_epsilon
        time_step_min time_step_max time_step_floor time_step_limit time_step_scale hc_eps
        hc_sinkhorn_iters mamba_dt_min mamba_dt_max mamba_dt_init_floor""",
    ),
    (
        Text("how the program runs, not what it holds", "只影响运行方式，不影响内容"),
        """use_cache cache_implementation use_mamba_kernels num_logits_to_keep residual_in_fp32
        chunk_size mamba_chunk_size attn_impl use_flash_attn use_flash_attention
        use_cache_quantization use_cache_kernel fp32_residual_connection
        apply_query_key_layer_scaling runner_max_sequence_length verbose low_cpu_mem_usage
        attn_uses_sequence_id prefix_lm return_dict output_attentions output_hidden_states
        chunk_size_feed_forward use_mambapy use_associative_scan use_triton fused_bias_fc
        fused_dropout_add_ln fused_mlp softmax_precision fp16 bf16 fp32 is_causal
        deterministic_flash_attn enable_flashinfer use_kernel attn_mode torch_compile
        mlp_chunk_size is_llama_config use_parallel_embedding max_batch_size max_window_size
        return_scores n_ctx max_tokens_per_image disable_exllama""",
    ),
    (
        Text("a choice of the text generator", "文本生成的选项"),
        """do_sample temperature top_k top_p typical_p min_p repetition_penalty length_penalty
        no_repeat_ngram_size encoder_no_repeat_ngram_size num_beams num_beam_groups
        num_return_sequences diversity_penalty early_stopping max_length min_length
        bad_words_ids suppress_tokens begin_suppress_tokens forced_bos_token_id
        forced_eos_token_id exponential_decay_length_penalty remove_invalid_values
        return_dict_in_generate output_scores prefix is_decoder max_new_tokens generation_config""",
    ),
    (
        Text("a head for classification that is not built here", "此处不构建的分类头"),
        """id2label label2id num_labels summary_activation summary_first_dropout
        summary_proj_to_labels summary_type summary_use_proj class_num pool_type classifier_bias
        pooler_hidden_size""",
    ),
    (
        Text("which experts are chosen, not how many", "只决定选哪些专家，不影响数量"),
        """n_group topk_group topk_method num_expert_group group_limited_greedy router_type
        expert_selection_fn moe_router_use_sigmoid moe_router_score_function num_expert_groups
        topk_groups use_grouped_topk""",
    ),
)

HARMLESS: dict[str, Text] = {name: reason for reason, text in _GROUPS for name in text.split()}
